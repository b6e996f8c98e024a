#include "backends/kubernetes/cluster/cluster_follow.h"

#include <algorithm>
#include <utility>

#include "backends/kubernetes/cluster/cluster_view.h"
#include "backends/kubernetes/cluster/memory_deaths.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

constexpr uint32_t kMostRefusals = 20;
constexpr uint32_t kWorthAsking = 2;  // looks at a job without all its pods
constexpr int kCancelledCode = 130;
constexpr Duration kAsLongAsItTakes = std::chrono::hours(24 * 365);

}  // namespace

ClusterFollow::ClusterFollow(std::shared_ptr<ClusterJobs> jobs, FollowRequest request, OnItem on_item, OnEnd on_end)
    : jobs_(std::move(jobs)),
      request_(std::move(request)),
      name_(jobs_->name_of(request_.job)),
      on_item_(std::move(on_item)),
      on_end_(std::move(on_end)) {
  timer_ = jobs_->loop().at(jobs_->loop().now(), [this] { look(); });
}

ClusterFollow::~ClusterFollow() { jobs_->loop().cancel(timer_); }

void ClusterFollow::hold(bool held) {
  if (inner_) inner_->hold(held);
}

// In a turn of its own: a call may not be destroyed in its own handler.
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

void ClusterFollow::look() { call(words_for_job_set(name_), &ClusterFollow::saw_job); }

void ClusterFollow::saw_job(Result<std::string> json) {
  if (!json.ok() && json.status().code() == Code::not_found) return gone();
  if (!json.ok()) return look_again_or_end(json.status());
  const auto jobs = read_job_sets(*json);
  if (!jobs.ok() || jobs->size() != 1) return end(Status(Code::data_loss, "kubectl did not tell of " + name_));
  job_ = jobs->front();
  if (const auto since = std::exchange(away_since_, std::nullopt))
    jobs_->say("the cluster's API server answers again after " + humane_duration(jobs_->loop().now() - *since));
  call(words_for_pods(name_), &ClusterFollow::saw_pods);
}

// The job goes on without the cluster's API, so its viewer stays for as long as that is away.
void ClusterFollow::look_again_or_end(const Status& status) {
  const bool silent = status.code() == Code::unavailable || status.code() == Code::deadline_exceeded;
  // The API server has just begun, and does not know yet what it serves.
  const bool was_seen = job_ || !request_.resume.empty() || request_.from_event > 1;
  const bool beginning = status.code() == Code::failed_precondition && was_seen;
  if ((!silent && !beginning) || !request_.follow) return end(status);
  if (silent) jobs_->say(status.message());
  if (!away_since_) away_since_ = jobs_->loop().now();
  timer_ = jobs_->loop().at(jobs_->loop().now() + patient_pause, [this] { look(); });
}

void ClusterFollow::saw_pods(Result<std::string> json) {
  auto pods = json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
  if (!pods.ok()) return look_again_or_end(pods.status());
  pods_ = std::move(*pods);
  if (waits_in_queue(*job_)) return call(words_for_workload(*job_), &ClusterFollow::saw_workload);
  // Those of a job that has just begun come by themselves.
  const bool asks = job_->end == JobSetFacts::End::none && !job_->suspended &&
                    lacks_pods(waiting_view(*job_, pods_), pods_) && ++looks_in_vain_ > kWorthAsking;
  if (asks) return call(words_for_refusals(), &ClusterFollow::saw_refusals);
  decide();
}

// Who may not ask it waits for its queue all the same.
void ClusterFollow::saw_workload(Result<std::string> json) {
  const std::string reason = json.ok() ? read_queue_reason(*json) : "";
  if (!reason.empty()) job_->why = reason;
  decide();
}

void ClusterFollow::saw_refusals(Result<std::string> json) {
  refusal_ = json.ok() ? read_refusal(*json, name_) : "";
  decide();
}

// A job whose log was told once is not told again.
void ClusterFollow::decide() {
  const PodFacts* coordinator = coordinator_of(pods_);
  if (has_ended(*job_, pods_)) {
    record_ = coordinator == nullptr ? nullptr : jobs_->record_of(*coordinator);
    const bool told_before = !request_.resume.empty() || (request_.output && request_.from_event > 1);
    const bool wants_log = request_.output || (request_.events && record_ == nullptr);
    if (coordinator == nullptr || told_before || !wants_log) return over();
    return read_log(*coordinator, false);
  }
  if (!can_be_asked(pods_)) return wait();
  if (may_exec_ && follow_coordinator(*coordinator)) return;
  if (!may_exec_) return read_log(*coordinator, request_.follow && (!request_.tail_lines || tail_shown_));
  if (++refusals_ >= kMostRefusals)
    return end(Status(Code::unavailable, "the coordinator of " + name_ + " does not answer"));
  wait();
}

// Told once it changes; not while it only comes back. A coordinator that has just ended may be told to run still.
void ClusterFollow::wait() {
  if (!request_.follow && !can_be_asked(pods_)) return end(Status());
  waited_ = true;
  if (request_.events && request_.resume.empty() && request_.from_event <= 1) {
    JobView view = waiting_view(*job_, pods_);
    tell_wait(view, pods_, refusal_);
    if (told_ != view) on_item_({view});
    told_ = std::move(view);
  }
  timer_ = jobs_->loop().at(jobs_->loop().now() + pause, [this] { look(); });
}

bool ClusterFollow::follow_coordinator(const PodFacts& pod) {
  const auto client = jobs_->ask(name_, pod.name);
  if (client.status().code() == Code::permission_denied) {
    may_exec_ = false;
    jobs_->say(name_ + " is followed by its pod's log: " + client.status().message());
  }
  if (!client.ok()) return false;
  FollowRequest there = request_;
  there.job = name_;
  // Who has waited knows nothing of its ranks, and their output may be the first to come.
  const auto now = waited_ ? (*client)->describe(name_) : Result<JobView>(Status(Code::unknown, ""));
  if (now.ok()) {
    heard({*now});
  }
  there.in_place = false;
  inner_ = (*client)->follow(
      there, [this](const FollowItem& item) { heard(item); },
      [this](const Status& status) {
        if (status.code() == Code::unavailable) jobs_->lost(name_);
        end(status);
      });
  return true;
}

// Why its pods do not come a coordinator cannot know: it has no rights in the cluster.
void ClusterFollow::heard(const FollowItem& item) {
  const auto* view = std::get_if<JobView>(&item.item);
  if (view == nullptr) return on_item_(item);
  jobs_->remember(view->id, name_);
  open_.reset();
  if (!waits_for_pods(*view)) return on_item_({with_deaths(*view)});
  open_ = *view;
  open_->waits_for = waits_;
  on_item_({*open_});
  if (!std::exchange(watching_, true)) watch_pods();
}

// Of ranks that died with all of their container only the cluster knows why.
JobView ClusterFollow::with_deaths(JobView view) {
  if (!view.done || !lost_agents(view)) return view;
  const auto pods = jobs_->pods_of(name_, true);
  if (pods.ok()) tell_memory_deaths(view, *pods);
  return view;
}

void ClusterFollow::watch_pods() {
  timer_ = jobs_->loop().at(jobs_->loop().now() + worth_a_look, [this] {
    watching_ = open_.has_value();
    if (watching_) call(words_for_pods(name_), &ClusterFollow::saw_waiting);
  });
}

void ClusterFollow::saw_waiting(Result<std::string> json) {
  auto pods = json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
  if (!pods.ok() || !open_) return watch_pods();
  pods_ = std::move(*pods);
  const bool asks = lacks_pods(*open_, pods_) && ++looks_in_vain_ > kWorthAsking;
  if (asks) return call(words_for_refusals(), &ClusterFollow::saw_waiting_refusals);
  tell_waiting();
}

void ClusterFollow::saw_waiting_refusals(Result<std::string> json) {
  refusal_ = json.ok() ? read_refusal(*json, name_) : "";
  tell_waiting();
}

void ClusterFollow::tell_waiting() {
  if (open_) {
    tell_wait(*open_, pods_, refusal_);
    if (std::exchange(waits_, open_->waits_for) != open_->waits_for) on_item_({*open_});
  }
  watch_pods();
}

// Its ranks are those of the record; before there is one, those of the job file.
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
  if (!status.ok()) jobs_->say("its pod's log cannot be read: " + status.message());
  show(choice_->take(log_->rest()));
  show(choice_->shows());
  tail_shown_ = true;
  if (has_ended(*job_, pods_)) return over();
  if (!request_.follow) return end(Status());
  timer_ = jobs_->loop().at(jobs_->loop().now() + pause, [this] { look(); });
}

void ClusterFollow::show(const std::vector<FollowItem>& items) {
  for (const FollowItem& item : items) on_item_(item);
}

// What happened, as far as it was not told with the log.
void ClusterFollow::over() {
  if (!choice_ && record_ != nullptr) choice_.emplace(request_, record_->job, record_->events);
  if (choice_) show(choice_->rest());
  if (request_.events) on_item_({record_ != nullptr ? with_deaths(record_->job) : cluster_view(*job_, pods_)});
  end(Status());
}

void ClusterFollow::gone() {
  if (!job_ && !told_ && request_.resume.empty() && request_.from_event <= 1)
    return end(Status(Code::not_found, "there is no job `" + name_ + "` any more: its JobSet was deleted"));
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
  open_.reset();  // nothing comes behind the end
  if (const auto tell = std::exchange(on_end_, nullptr)) tell(status);
}

}  // namespace muster
