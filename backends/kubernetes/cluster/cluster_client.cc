// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_client.h"

#include <poll.h>

#include <algorithm>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "backends/kubernetes/cluster/cluster_events.h"
#include "backends/kubernetes/cluster/cluster_follow.h"
#include "backends/kubernetes/cluster/cluster_view.h"
#include "backends/kubernetes/cluster/job_creation.h"
#include "backends/kubernetes/cluster/memory_deaths.h"
#include "core/job/file/job_yaml.h"
#include "core/job/pod_words.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

constexpr int kMostTries = 10;
constexpr int kPauseMs = 400;
// For a list of jobs.
constexpr size_t kMostAsked = 16;
constexpr Duration kListPatience = std::chrono::seconds(4);

// A channel for a program that was not started. Reports the reason in a later turn, like every ExecChannel.
class NoExec final : public ExecChannel {
 public:
  NoExec(Loop& loop, Status why) : loop_(loop), why_(std::move(why)) {}
  ~NoExec() override { loop_.cancel(told_); }
  void send(const ExecFrame&) override {}
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)>) override {
    told_ = loop_.at(loop_.now(), [this, on_message = std::move(on_message)] {
      on_message({0, ExecEnd{{}, static_cast<int>(why_.code()), why_.message()}});
    });
  }

 private:
  Loop& loop_;
  const Status why_;
  TimerId told_ = 0;
};

// Passes on this shell's variables that tune training libraries, as for hosts. The job's own values win.
JobSpec with_carried(JobSpec spec, const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (is_carried(name)) spec.env.try_emplace(name, EnvValue{value, {}});
  }
  return spec;
}

using PodsByJob = std::map<std::string, std::vector<PodFacts>>;

PodsByJob by_job(std::vector<PodFacts> pods) {
  PodsByJob sorted;
  for (PodFacts& each : pods) sorted[each.job].push_back(std::move(each));
  return sorted;
}

// Live jobs, and jobs that ended within the last hour.
bool is_recent(const JobView& job, TimePoint now) {
  return !job.done || now - std::max(job.ended, job.submitted) < std::chrono::hours(1);
}

}  // namespace

ClusterClient::ClusterClient(FdLoop& loop, KubectlAccess access, std::string image,
                             std::function<void(const std::string&)> remark)
    : jobs_(std::make_shared<ClusterJobs>(loop, std::move(access), std::move(remark))),
      image_(std::move(image)) {}

Result<JobView> ClusterClient::submit(const SubmitRequest& request) {
  const ParsedJob job = parse_job_json(request.spec_json, "the job");
  if (has_errors(job.diagnostics)) return Status(Code::invalid_argument, job.diagnostics.front().message);
  const auto made = create_job(jobs_->access(), with_carried(job.spec, request.environment), image_, request.secrets);
  if (!made.ok()) return made.status();
  JobView view = waiting_view(*made, {});
  jobs_->remember(view.id, view.name);
  return view;
}

Result<JobView> ClusterClient::view_of_coordinator(const DescribeRequest& request, const PodFacts& pod) {
  const std::string& name = request.job;
  auto client = jobs_->ask(name, pod.name);
  if (!client.ok()) return client.status();
  auto view = (*client)->describe(request);
  if (!view.ok() && view.status().code() == Code::unavailable) jobs_->lost(name);
  if (!view.ok()) return view;
  jobs_->remember(view->id, name);
  add_wait_reason(*view);
  add_memory_deaths(*view);
  return view;
}

Result<JobView> ClusterClient::view_of_cluster(const JobSetFacts& job, std::vector<PodFacts> coordinator) {
  const bool over = has_ended(job, coordinator);
  const PodFacts* ended = over ? coordinator_of(coordinator) : nullptr;
  const pod::LogRecord* record = ended == nullptr ? nullptr : jobs_->record_of(*ended);
  if (record != nullptr) {
    JobView told = record->job;
    add_memory_deaths(told);
    return told;
  }
  auto pods = over ? Result<std::vector<PodFacts>>(std::move(coordinator)) : jobs_->pods_of(job.name, true);
  if (!pods.ok()) return pods.status();
  JobView view = cluster_view(jobs_->with_queue_reason(job), *pods);
  if (waits_for_pods(view)) tell_wait(view, *pods, jobs_->events(words_for_events(*pods, lacks_pods(view, *pods))));
  jobs_->remember(view.id, view.name);
  return view;
}

// A coordinator has no rights in the cluster, so it does not know why its pods do not run.
void ClusterClient::add_wait_reason(JobView& view) {
  if (!waits_for_pods(view)) return;
  const auto pods = jobs_->pods_of(view.name, true);
  if (pods.ok()) tell_wait(view, *pods, jobs_->events(words_for_events(*pods, lacks_pods(view, *pods))));
}

Result<JobView> ClusterClient::describe(const DescribeRequest& request) {
  const auto job = jobs_->find(request.job);
  if (!job.ok()) return job.status();
  auto pods = jobs_->pods_of(job->name, false);
  if (!pods.ok()) return pods.status();
  // The cluster may still report a coordinator as running when it has just ended.
  for (int tries = 0; pods.ok() && can_be_asked(*pods); ++tries) {
    auto told = view_of_coordinator({job->name, request.examine}, *coordinator_of(*pods));
    if (told.ok()) return told;
    if (told.status().code() != Code::unavailable || tries == kMostTries) {
      jobs_->say("showing only what the cluster knows: " + told.status().message());
      break;
    }
    poll(nullptr, 0, kPauseMs);
    pods = jobs_->pods_of(job->name, false);
  }
  if (!pods.ok()) return pods.status();
  return view_of_cluster(*job, std::move(*pods));
}

void ClusterClient::add_memory_deaths(JobView& view) {
  if (!lost_agents(view)) return;
  const auto pods = jobs_->pods_of(view.name, true);
  if (pods.ok()) tell_memory_deaths(view, *pods);
}

// Asks every running coordinator for its job (restarts, steps). All links are opened in parallel; a list waits only kListPatience.
std::map<std::string, JobView> ClusterClient::views_of_coordinators(const ListRequest& request, const PodsByJob& pods) {
  std::map<std::string, JobView> told;
  std::vector<std::string> asked;
  for (const auto& [job, own] : pods) {
    if (!can_be_asked(own) || (!request.measure && asked.size() == kMostAsked)) continue;
    asked.push_back(job);
    jobs_->call(job, coordinator_of(own)->name);
  }
  for (const std::string& job : asked) {
    const auto client = jobs_->ask(job, coordinator_of(pods.at(job))->name,
                                   request.measure ? ClusterJobs::link_patience : kListPatience);
    if (client.status().code() == Code::permission_denied) break;  // the same applies to all other coordinators
    const auto views = client.ok() ? (*client)->list(request) : Result<std::vector<JobView>>(client.status());
    if (views.ok() && views->size() == 1) told[job] = views->front();
    if (!views.ok()) jobs_->lost(job);
  }
  return told;
}

// The coordinators and the pending pods of these jobs. Running pods are not read: a job may have a thousand of them.
Result<std::vector<PodFacts>> ClusterClient::pods_for_list(const std::vector<JobSetFacts>& jobs) {
  if (jobs.empty()) return std::vector<PodFacts>();
  auto pods = jobs_->coordinators();
  if (!pods.ok() || std::none_of(jobs.begin(), jobs.end(), pods_may_wait)) return pods;
  auto waiting = jobs_->waiting_pods();
  if (!waiting.ok()) return waiting;
  std::erase_if(*waiting, [](const PodFacts& each) { return each.part == pod::kCoordinatorJob; });
  std::move(waiting->begin(), waiting->end(), std::back_inserter(*pods));
  return pods;
}

Result<std::vector<JobView>> ClusterClient::list(const ListRequest& request) {
  const auto jobs = jobs_->all();
  if (!jobs.ok()) return jobs.status();
  auto all = pods_for_list(*jobs);
  if (!all.ok()) return all.status();
  PodsByJob pods = by_job(std::move(*all));
  const std::map<std::string, JobView> told = views_of_coordinators(request, pods);
  std::map<std::vector<std::string>, std::string>
      events;  // by the words that ask for them: several jobs may need the same
  std::vector<JobView> views;
  for (const JobSetFacts& job : *jobs) {
    const auto answer = told.find(job.name);
    JobView view = answer != told.end() ? answer->second : cluster_view(job, pods[job.name]);
    if (waits_for_pods(view) && !job.suspended) {
      const std::vector<PodFacts>& own = pods[job.name];
      const auto [asked, fresh] = events.try_emplace(words_for_events(own, awaited(own).empty()));
      if (fresh) asked->second = jobs_->events(asked->first);
      tell_wait(view, own, asked->second);
    }
    jobs_->remember(view.id, job.name);
    if (request.all || is_recent(view, jobs_->loop().now())) views.push_back(std::move(view));
  }
  std::stable_sort(views.begin(), views.end(),
                   [](const JobView& a, const JobView& b) { return a.submitted < b.submitted; });
  return views;
}

Result<ControlClient*> ClusterClient::coordinator(const std::string& word, std::string& name) {
  const auto job = jobs_->find(word);
  if (!job.ok()) return job.status();
  name = job->name;
  const auto pods = jobs_->pods_of(name, false);
  if (!pods.ok()) return pods.status();
  if (can_be_asked(*pods)) return jobs_->ask(name, coordinator_of(*pods)->name);
  if (has_ended(*job, *pods)) return Status(Code::failed_precondition, name + " has ended");
  return Status(Code::aborted, "its coordinator is not running yet");
}

Status ClusterClient::stop(const std::string& word, int signal, Duration grace) {
  std::string name;
  const auto client = coordinator(word, name);
  Status status = client.ok() ? (*client)->stop(name, signal, grace) : client.status();
  if (status.code() == Code::unavailable) jobs_->lost(name);
  const bool nobody = status.code() == Code::aborted || status.code() == Code::permission_denied;
  if (name.empty() || !nobody) return status;
  jobs_->say(name +
             ": deleting its JobSet with all its pods, because the coordinator cannot be asked: " + status.message());
  status = delete_job(jobs_->access(), name, false);
  return status.code() == Code::not_found ? Status() : status;
}

// A coordinator knows that its job has ended before the cluster does.
bool ClusterClient::is_over(const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  if (job.end != JobSetFacts::End::none || has_ended(job, pods)) return true;
  if (!can_be_asked(pods)) return false;
  const auto told = view_of_coordinator(job.name, *coordinator_of(pods));
  return told.ok() && told->done;
}

Status ClusterClient::remove(const std::string& word) {
  const auto job = jobs_->find(word);
  if (!job.ok()) return job.status();
  const auto pods = jobs_->pods_of(job->name, false);
  if (!pods.ok()) return pods.status();
  if (!is_over(*job, *pods))
    return {Code::failed_precondition, job->name + " has not ended; stop it first: muster stop " + job->name +
                                           cluster_flags(jobs_->access().place)};
  jobs_->lost(job->name);
  return delete_job(jobs_->access(), job->name, true);
}

Status ClusterClient::type(const TtyBytes& typed) {
  std::string name;
  const auto client = coordinator(typed.job, name);
  if (!client.ok()) return client.status();
  TtyBytes there = typed;
  there.job = name;
  return (*client)->type(there);
}

std::unique_ptr<ExecChannel> ClusterClient::exec(const ExecStart& start) {
  ExecStart there = start;
  const auto client = coordinator(start.job, there.job);
  if (!client.ok()) return std::make_unique<NoExec>(jobs_->loop(), client.status());
  return (*client)->exec(there);
}

std::unique_ptr<JobReadClient::Following> ClusterClient::follow(const FollowRequest& request,
                                                                std::function<void(const FollowItem&)> on_item,
                                                                std::function<void(const Status&)> on_end) {
  return std::make_unique<ClusterFollow>(jobs_, request, std::move(on_item), std::move(on_end));
}

}  // namespace muster
