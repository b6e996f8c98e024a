#include "launcher/cluster/cluster_client.h"

#include <poll.h>

#include <algorithm>

#include "core/model/carried_variables.h"
#include "core/model/job_yaml.h"
#include "core/model/pod_words.h"
#include "launcher/cluster/cluster_access.h"
#include "launcher/cluster/cluster_follow.h"
#include "launcher/cluster/cluster_view.h"
#include "launcher/cluster/job_creation.h"

namespace muster {
namespace {

constexpr int kMostTries = 10;
constexpr int kPauseMs = 400;

Status no_such_thing(const std::string& what) {
  return explained(Code::unimplemented, what + " is a matter of your own controller; jobs in a cluster have none",
                   "E1663");
}

// The program was never started: told in a turn of its own, as all that handlers hear.
class NoGuest final : public GuestChannel {
 public:
  NoGuest(Loop& loop, Status why) : loop_(loop), why_(std::move(why)) {}
  ~NoGuest() override { loop_.cancel(told_); }
  void send(const GuestFrame&) override {}
  void listen(std::function<void(const GuestFrame&)> on_message, std::function<void(const Status&)>) override {
    told_ = loop_.at(loop_.now(), [this, on_message = std::move(on_message)] {
      on_message({0, GuestEnd{{}, static_cast<int>(why_.code()), why_.message()}});
    });
  }

 private:
  Loop& loop_;
  const Status why_;
  TimerId told_ = 0;
};

// What tunes training libraries goes along from this shell, as to hosts; what the job says wins.
JobSpec with_carried(JobSpec spec, const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (is_carried(name)) spec.env.try_emplace(name, EnvValue{value, {}});
  }
  return spec;
}

// Of those that ended, the last hour's.
bool is_of_late(const JobView& job, TimePoint now) {
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

Result<JobView> ClusterClient::told_by_coordinator(const std::string& name, const PodFacts& pod) {
  auto client = jobs_->ask(name, pod.name);
  if (!client.ok()) return client.status();
  auto view = (*client)->describe(name);
  if (!view.ok() && view.status().code() == Code::unavailable) jobs_->lost(name);
  if (!view.ok()) return view;
  jobs_->remember(view->id, name);
  if (!waits_for_pods(*view)) return view;
  const auto pods = jobs_->pods_of(name, true);
  if (pods.ok()) view->waits_for = awaited(*pods);
  return view;
}

Result<JobView> ClusterClient::told_by_cluster(const JobSetFacts& job, std::vector<PodFacts> coordinator) {
  const bool over = has_ended(job, coordinator);
  auto pods = over ? Result<std::vector<PodFacts>>(std::move(coordinator)) : jobs_->pods_of(job.name, true);
  if (!pods.ok()) return pods.status();
  JobView view = cluster_view(job, *pods);
  jobs_->remember(view.id, view.name);
  return view;
}

Result<JobView> ClusterClient::describe(const std::string& word) {
  const auto job = jobs_->find(word);
  if (!job.ok()) return job.status();
  auto pods = jobs_->pods_of(job->name, false);
  if (!pods.ok()) return pods.status();
  // One that has just ended may be told to run still.
  for (int tries = 0; pods.ok() && can_be_asked(*pods); ++tries) {
    auto told = told_by_coordinator(job->name, *coordinator_of(*pods));
    if (told.ok()) return told;
    if (told.status().code() != Code::unavailable || tries == kMostTries) {
      jobs_->say("what follows is what the cluster knows: " + told.status().message());
      break;
    }
    poll(nullptr, 0, kPauseMs);
    pods = jobs_->pods_of(job->name, false);
  }
  if (!pods.ok()) return pods.status();
  return told_by_cluster(*job, std::move(*pods));
}

// Of these jobs: coordinators, and pods that wait. What runs is not read: a job may have a thousand pods.
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
  auto pods = pods_for_list(*jobs);
  if (!pods.ok()) return pods.status();
  std::vector<JobView> views;
  for (const JobSetFacts& job : *jobs) {
    std::vector<PodFacts> own;
    std::copy_if(pods->begin(), pods->end(), std::back_inserter(own),
                 [&](const PodFacts& each) { return each.job == job.name; });
    JobView view = cluster_view(job, own);
    if (request.measure && can_be_asked(own)) {
      auto client = jobs_->ask(job.name, coordinator_of(own)->name);
      const auto told = client.ok() ? (*client)->list(request) : Result<std::vector<JobView>>(client.status());
      if (told.ok() && told->size() == 1) view = told->front();
      if (!told.ok()) jobs_->lost(job.name);
    }
    jobs_->remember(view.id, job.name);
    if (request.all || is_of_late(view, jobs_->loop().now())) views.push_back(std::move(view));
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
  return Status(Code::aborted, "its coordinator does not run yet");
}

Status ClusterClient::stop(const std::string& word, int signal, Duration grace) {
  std::string name;
  const auto client = coordinator(word, name);
  Status status = client.ok() ? (*client)->stop(name, signal, grace) : client.status();
  if (status.code() == Code::unavailable) jobs_->lost(name);
  const bool nobody = status.code() == Code::aborted || status.code() == Code::permission_denied;
  if (name.empty() || !nobody) return status;
  jobs_->say(name + ": its JobSet is deleted, and all of it: " + status.message());
  status = delete_job(jobs_->access(), name, false);
  return status.code() == Code::not_found ? Status() : status;
}

Status ClusterClient::remove(const std::string& word) {
  const auto job = jobs_->find(word);
  if (!job.ok()) return job.status();
  const auto pods = jobs_->pods_of(job->name, false);
  if (!pods.ok()) return pods.status();
  if (job->end == JobSetFacts::End::none && !has_ended(*job, *pods))
    return {Code::failed_precondition,
            job->name + " has not ended; first: muster stop " + job->name + cluster_flags(jobs_->access().place)};
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

Result<JobView> ClusterClient::arrange(const ArrangeRequest&) { return no_such_thing("the order of waiting jobs"); }
Result<ControllerInfo> ClusterClient::info() { return no_such_thing("that"); }
Result<Pruned> ClusterClient::prune(const PruneRequest&) {
  return no_such_thing("forgetting jobs by age and size (kubernetes.ttl says how long an ended one stays)");
}
Result<uint32_t> ClusterClient::end_idle_agents() { return no_such_thing("agents that wait for jobs"); }
Status ClusterClient::shutdown(bool) { return no_such_thing("ending a controller"); }

std::unique_ptr<GuestChannel> ClusterClient::exec(const GuestStart& start) {
  GuestStart there = start;
  const auto client = coordinator(start.job, there.job);
  if (!client.ok()) return std::make_unique<NoGuest>(jobs_->loop(), client.status());
  return (*client)->exec(there);
}

std::unique_ptr<ControlClient::Following> ClusterClient::follow(const FollowRequest& request,
                                                                std::function<void(const FollowItem&)> on_item,
                                                                std::function<void(const Status&)> on_end) {
  return std::make_unique<ClusterFollow>(jobs_, request, std::move(on_item), std::move(on_end));
}

}  // namespace muster
