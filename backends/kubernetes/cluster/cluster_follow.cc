// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_follow.h"

#include <algorithm>
#include <utility>

#include "backends/kubernetes/cluster/cluster_events.h"
#include "backends/kubernetes/cluster/cluster_view.h"
#include "backends/kubernetes/cluster/memory_deaths.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

constexpr uint32_t kMostRefusals = 20;
constexpr uint32_t kPollsBeforeEvents = 2;  // unexplained polls before the cluster's events are read
constexpr Duration kAsLongAsItTakes = std::chrono::hours(24 * 365);

}  // namespace

ClusterFollow::ClusterFollow(std::shared_ptr<ClusterJobs> jobs, FollowRequest request, OnItem on_item, OnEnd on_end)
    : jobs_(std::move(jobs)),
      request_(std::move(request)),
      name_(jobs_->name_of(request_.job)),
      on_item_(std::move(on_item)),
      on_end_(std::move(on_end)) {
  timer_ = jobs_->loop().at(jobs_->loop().now(), [this] { poll_job(); });
}

ClusterFollow::~ClusterFollow() { jobs_->loop().cancel(timer_); }

void ClusterFollow::hold(bool held) {
  if (inner_) inner_->hold(held);
}

// `then` runs in a later turn: a KubectlCall must not be destroyed in its own handler.
void ClusterFollow::call(std::vector<std::string> words, void (ClusterFollow::*then)(Result<std::string>)) {
  call_ = std::make_unique<KubectlCall>(jobs_->loop(), jobs_->access(), KubectlCall::Wanted{.words = std::move(words)},
                                        [this, then](Result<std::string> json) {
                                          timer_ = jobs_->loop().at(jobs_->loop().now(),
                                                                    [this, then, json = std::move(json)]() mutable {
                                                                      call_.reset();
                                                                      (this->*then)(std::move(json));
                                                                    });
                                        });
}

void ClusterFollow::poll_job() { call(words_for_job_set(name_), &ClusterFollow::take_job); }

void ClusterFollow::take_job(Result<std::string> json) {
  if (!json.ok() && json.status().code() == Code::not_found) return job_deleted();
  if (!json.ok()) return poll_again_or_end(json.status());
  const auto jobs = read_job_sets(*json);
  if (!jobs.ok() || jobs->size() != 1)
    return end(Status(Code::data_loss, "kubectl did not print exactly one JobSet for " + name_));
  job_ = jobs->front();
  if (const auto since = std::exchange(unreachable_since_, std::nullopt))
    jobs_->say("the cluster's API server answers again after " + humane_duration(jobs_->loop().now() - *since));
  call(words_for_pods(name_), &ClusterFollow::take_pods);
}

// The job continues without the cluster's API server, so the viewer waits until the server answers again.
void ClusterFollow::poll_again_or_end(const Status& status) {
  const bool silent = status.code() == Code::unavailable;
  // A freshly started API server does not yet know all its resources.
  const bool was_seen = job_ || !request_.resume.empty() || request_.from_event > 1;
  const bool beginning = status.code() == Code::failed_precondition && was_seen;
  if ((!silent && !beginning) || !request_.follow) return end(status);
  if (silent) jobs_->say(status.message());
  if (!unreachable_since_) unreachable_since_ = jobs_->loop().now();
  timer_ = jobs_->loop().at(jobs_->loop().now() + patient_pause, [this] { poll_job(); });
}

void ClusterFollow::take_pods(Result<std::string> json) {
  auto pods = json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
  if (!pods.ok()) return poll_again_or_end(pods.status());
  pods_ = std::move(*pods);
  if (waits_in_queue(*job_)) return call(words_for_workload(*job_), &ClusterFollow::take_workload);
  const bool waits = job_->end == JobSetFacts::End::none && !job_->suspended;
  std::vector<std::string> words = waits ? words_for_reason(waiting_view(*job_, pods_)) : std::vector<std::string>();
  if (!words.empty()) return call(std::move(words), &ClusterFollow::take_events);
  decide();
}

// A new job's pods need a moment, so the cluster's events are read only after some polls.
std::vector<std::string> ClusterFollow::words_for_reason(const JobView& job) {
  std::vector<std::string> words = words_for_events(pods_, lacks_pods(job, pods_));
  if (words.empty()) events_.clear();
  if (words.empty() || ++unexplained_polls_ > kPollsBeforeEvents) return words;
  return {};
}

// Without the right to read Workloads, the reason from the JobSet stays.
void ClusterFollow::take_workload(Result<std::string> json) {
  const std::string reason = json.ok() ? read_queue_reason(*json) : "";
  if (!reason.empty()) job_->why = reason;
  decide();
}

void ClusterFollow::take_events(Result<std::string> json) {
  events_ = json.ok() ? *json : "";
  decide();
}

// A log that was shown once is not shown again.
void ClusterFollow::decide() {
  const PodFacts* coordinator = coordinator_of(pods_);
  if (has_ended(*job_, pods_)) {
    record_ = coordinator == nullptr ? nullptr : jobs_->record_of(*coordinator);
    const bool told_before = !request_.resume.empty() || (request_.output && request_.from_event > 1);
    const bool wants_log = request_.output || (request_.events && record_ == nullptr);
    if (coordinator == nullptr || told_before || !wants_log) return job_ended();
    return read_log(*coordinator, false);
  }
  if (!can_be_asked(pods_)) return wait();
  if (may_exec_ && follow_coordinator(*coordinator)) return;
  if (!may_exec_) return read_log(*coordinator, request_.follow && (!request_.tail_lines || tail_shown_));
  if (++refusals_ >= kMostRefusals)
    return end(Status(Code::unavailable, "the coordinator of " + name_ + " does not answer"));
  wait();
}

// Reports the view only when it changes. The cluster may still report a coordinator as running when it has just ended.
void ClusterFollow::wait() {
  if (!request_.follow && !can_be_asked(pods_)) return end(Status());
  waited_ = true;
  if (request_.events && request_.resume.empty() && request_.from_event <= 1) {
    JobView view = waiting_view(*job_, pods_);
    tell_wait(view, pods_, events_);
    if (told_ != view) on_item_({view});
    told_ = std::move(view);
  }
  timer_ = jobs_->loop().at(jobs_->loop().now() + pause, [this] { poll_job(); });
}

bool ClusterFollow::follow_coordinator(const PodFacts& pod) {
  const auto client = jobs_->ask(name_, pod.name);
  if (client.status().code() == Code::permission_denied) {
    may_exec_ = false;
    jobs_->say("following " + name_ + " through its pod's log: " + client.status().message());
  }
  if (!client.ok()) return false;
  FollowRequest there = request_;
  there.job = name_;
  // After a wait the ranks are unknown here, and the first item may be their output: fetch the job first.
  const auto now = waited_ ? (*client)->describe(name_) : Result<JobView>(Status(Code::unknown, ""));
  if (now.ok()) {
    received({*now});
  }
  there.in_place = false;
  inner_ = (*client)->follow(
      there, [this](const FollowItem& item) { received(item); },
      [this](const Status& status) {
        if (status.code() == Code::unavailable) jobs_->lost(name_);
        end(status);
      });
  return true;
}

// A coordinator has no rights in the cluster, so it does not know why its pods do not run.
void ClusterFollow::received(const FollowItem& item) {
  const auto* view = std::get_if<JobView>(&item.item);
  if (view == nullptr) return on_item_(item);
  jobs_->remember(view->id, name_);
  open_.reset();
  if (!waits_for_pods(*view)) return on_item_({with_memory_deaths(*view)});
  open_ = *view;
  open_->waits_for = waits_;
  on_item_({*open_});
  if (!std::exchange(polling_, true)) poll_missing_pods();
}

// Only the cluster knows why a whole container was killed.
JobView ClusterFollow::with_memory_deaths(JobView view) {
  if (!view.done || !lost_agents(view)) return view;
  const auto pods = jobs_->pods_of(name_, true);
  if (pods.ok()) tell_memory_deaths(view, *pods);
  return view;
}

void ClusterFollow::poll_missing_pods() {
  timer_ = jobs_->loop().at(jobs_->loop().now() + pods_pause, [this] {
    polling_ = open_.has_value();
    if (polling_) call(words_for_pods(name_), &ClusterFollow::take_missing_pods);
  });
}

void ClusterFollow::take_missing_pods(Result<std::string> json) {
  auto pods = json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
  if (!pods.ok() || !open_) return poll_missing_pods();
  pods_ = std::move(*pods);
  std::vector<std::string> words = words_for_reason(*open_);
  if (!words.empty()) return call(std::move(words), &ClusterFollow::take_events_of_missing);
  report_missing_pods();
}

void ClusterFollow::take_events_of_missing(Result<std::string> json) {
  events_ = json.ok() ? *json : "";
  report_missing_pods();
}

void ClusterFollow::report_missing_pods() {
  if (open_) {
    tell_wait(*open_, pods_, events_);
    if (std::exchange(waits_, open_->waits_for) != open_->waits_for) on_item_({*open_});
  }
  poll_missing_pods();
}

// The ranks come from the record. Without one, they come from the job's spec.
void ClusterFollow::begin_log(const PodFacts& pod) {
  const JobView job = record_ != nullptr ? record_->job : cluster_view(*job_, pods_);
  log_.emplace(job);
  choice_.emplace(request_, job, record_ != nullptr ? record_->events : std::vector<JobEvent>());
  log_pod_ = pod.name;
  log_bytes_ = 0;
}

void ClusterFollow::read_log(const PodFacts& pod, bool to_its_end) {
  if (log_pod_ != pod.name) begin_log(pod);
  skip_ = log_bytes_;
  if (to_its_end && request_.events) on_item_({cluster_view(*job_, pods_)});
  KubectlCall::Wanted wanted{.words = {"logs", pod.name, "-c", pod::kCoordinatorJob}, .patience = kAsLongAsItTakes};
  if (to_its_end) wanted.words.emplace_back("-f");
  if (request_.since) wanted.words.push_back("--since-time=" + format_utc(*request_.since));
  wanted.on_bytes = [this](std::string_view bytes) {
    const size_t known = std::min<uint64_t>(skip_, bytes.size());
    skip_ -= known;
    log_bytes_ += bytes.size() - known;
    show(choice_->take(log_->take(bytes.substr(known))));
  };
  call_ = std::make_unique<KubectlCall>(
      jobs_->loop(), jobs_->access(), std::move(wanted), [this](const Result<std::string>& done) {
        timer_ = jobs_->loop().at(jobs_->loop().now(), [this, status = done.status()] {
          call_.reset();
          log_ended(status);
        });
      });
}

void ClusterFollow::log_ended(const Status& status) {
  if (!status.ok()) jobs_->say("cannot read its pod's log: " + status.message());
  show(choice_->take(log_->rest()));
  show(choice_->shows());
  tail_shown_ = true;
  if (has_ended(*job_, pods_)) return job_ended();
  if (!request_.follow) return end(Status());
  timer_ = jobs_->loop().at(jobs_->loop().now() + pause, [this] { poll_job(); });
}

void ClusterFollow::show(const std::vector<FollowItem>& items) {
  for (const FollowItem& item : items) on_item_(item);
}

// Reports the events that were not shown with the log, and the job's end.
void ClusterFollow::job_ended() {
  if (!choice_ && record_ != nullptr) choice_.emplace(request_, record_->job, record_->events);
  if (choice_) show(choice_->rest());
  if (request_.events) on_item_({record_ != nullptr ? with_memory_deaths(record_->job) : cluster_view(*job_, pods_)});
  end(Status());
}

void ClusterFollow::job_deleted() {
  if (!job_ && !told_ && request_.resume.empty() && request_.from_event <= 1)
    return end(Status(Code::not_found, "job `" + name_ + "` no longer exists: its JobSet was deleted"));
  JobView view = waiting_view(job_.value_or(JobSetFacts{}), {});
  view.name = name_;
  view.done = true;
  view.waits_for.clear();
  view.state = "cancelled";
  view.sentence = "cancelled: its JobSet was deleted";
  view.exit_code = kCancelledCode;
  view.propagated_code = kCancelledCode;
  view.ended = jobs_->loop().now();
  if (request_.events) on_item_({view});
  end(Status());
}

void ClusterFollow::end(const Status& status) {
  open_.reset();  // nothing may be reported after the end
  if (const auto tell = std::exchange(on_end_, nullptr)) tell(status);
}

}  // namespace muster
