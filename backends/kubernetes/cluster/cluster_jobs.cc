// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_jobs.h"

#include <algorithm>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

constexpr const char* kJobSets = "jobsets.jobset.x-k8s.io";
const std::string kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";
const std::string kCoordinators = std::string("jobset.sigs.k8s.io/replicatedjob-name=") + pod::kCoordinatorJob;

bool may_be_name(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
  }) && word.front() != '-';
}

Status unknown_job(const std::string& word, const ClusterPlace& place) {
  return {Code::not_found,
          "there is no job `" + word + "`" +
              (place.space.empty() ? " in this context's namespace" : " in the namespace `" + place.space + "`") +
              "; muster ps" + cluster_flags(place) + " lists the jobs"};
}

}  // namespace

std::vector<std::string> words_for_job_set(const std::string& name) { return {"get", kJobSets, name, "-o", "json"}; }

std::vector<std::string> words_for_pods(const std::string& name) {
  return {"get", "pods", "-l", kJobSetNameLabel + "=" + name, "-o", "json"};
}

std::vector<std::string> words_for_workload(const JobSetFacts& job) {
  return {"get", "workloads.kueue.x-k8s.io", "-l", "kueue.x-k8s.io/job-uid=" + job.uid, "-o", "json"};
}

std::string ClusterJobs::name_of(const std::string& word) const {
  const auto known = names_.find(word);
  return known == names_.end() ? word : known->second;
}

Result<JobSetFacts> ClusterJobs::find(const std::string& word) {
  const std::string name = name_of(word);
  if (name != "@last" && !may_be_name(name)) return unknown_job(word, access_.place);
  if (name != "@last") {
    const auto json = run_kubectl(access_, {.words = words_for_job_set(name), .apart = false});
    if (!json.ok() && json.status().code() != Code::not_found) return json.status();
    const auto found = json.ok() ? read_job_sets(*json) : Result<std::vector<JobSetFacts>>(json.status());
    if (found.ok() && found->size() == 1) return std::move(found->front());
  }
  auto jobs = all();
  if (!jobs.ok()) return jobs.status();
  if (name != "@last") std::erase_if(*jobs, [&](const JobSetFacts& job) { return !job.name.starts_with(name); });
  const bool clear = jobs->size() == 1 || (name == "@last" && !jobs->empty());
  if (!clear && jobs->size() > 1)
    return Status(Code::invalid_argument, "`" + word + "` is a prefix of " + std::to_string(jobs->size()) +
                                              " job names: " + jobs->front().name + ", " + jobs->at(1).name + " …");
  if (!clear) return unknown_job(word, access_.place);
  return *std::max_element(jobs->begin(), jobs->end(),
                           [](const JobSetFacts& a, const JobSetFacts& b) { return a.created < b.created; });
}

Result<std::vector<JobSetFacts>> ClusterJobs::all() {
  const auto json =
      run_kubectl(access_, {.words = {"get", kJobSets, "-l", pod::kJobLabel, "-o", "json"}, .apart = false});
  return json.ok() ? read_job_sets(*json) : Result<std::vector<JobSetFacts>>(json.status());
}

Result<std::vector<PodFacts>> ClusterJobs::pods_of(const std::string& name, bool all) {
  std::vector<std::string> words = words_for_pods(name);
  if (!all) words[3] += "," + kCoordinators;
  const auto json = run_kubectl(access_, {.words = std::move(words), .apart = false});
  return json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
}

Result<std::vector<PodFacts>> ClusterJobs::coordinators() {
  const auto json = run_kubectl(
      access_, {.words = {"get", "pods", "-l", kCoordinators + "," + pod::kJobLabel, "-o", "json"}, .apart = false});
  return json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
}

const pod::LogRecord* ClusterJobs::record_of(const PodFacts& coordinator) {
  const auto known = records_.find(coordinator.name);
  if (known != records_.end()) return known->second ? &*known->second : nullptr;
  const auto end = run_kubectl(access_, {.words = {"logs", coordinator.name, "-c", pod::kCoordinatorJob,
                                                   "--tail=" + std::to_string(2 * pod::kMostRecordLines)},
                                         .apart = false});
  auto& record = records_[coordinator.name];
  record = end.ok() ? pod::record_in(*end) : std::nullopt;
  if (record) remember(record->job.id, record->job.name);
  return record ? &*record : nullptr;
}

std::string ClusterJobs::events(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  const auto events = run_kubectl(access_, {.words = words, .apart = false});
  return events.ok() ? *events : "";
}

Result<std::vector<PodFacts>> ClusterJobs::waiting_pods() {
  const auto json = run_kubectl(
      access_, {.words = {"get", "pods", "-l", pod::kJobLabel, "--field-selector=status.phase=Pending", "-o", "json"},
                .apart = false});
  return json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
}

void ClusterJobs::call(const std::string& name, const std::string& pod) {
  const auto known = links_.find(name);
  if (known != links_.end() && known->second.pod == pod) return;
  auto link = CoordinatorLink::begin(access_, pod);
  if (link.ok()) links_[name] = {pod, std::move(*link), false};
}

Result<ControlClient*> ClusterJobs::ask(const std::string& name, const std::string& pod, Duration patience) {
  call(name, pod);
  const auto known = links_.find(name);
  if (known == links_.end() || known->second.pod != pod)
    return Status(Code::unavailable, "kubectl exec could not be started");
  Link& link = known->second;
  const Status opened = link.open ? Status() : link.link->open(loop_, patience);
  if (!opened.ok()) links_.erase(known);
  if (!opened.ok()) return opened;
  link.open = true;
  return &link.link->client();
}

JobSetFacts ClusterJobs::with_queue_reason(JobSetFacts job) {
  const auto json = waits_in_queue(job) ? run_kubectl(access_, {.words = words_for_workload(job), .apart = false})
                                        : Result<std::string>(Status(Code::not_found, ""));
  const std::string reason = json.ok() ? read_queue_reason(*json) : "";
  if (!reason.empty()) job.why = reason;
  return job;
}

void ClusterJobs::say(const std::string& sentence) {
  if (std::find(said_.begin(), said_.end(), sentence) != said_.end()) return;
  said_.push_back(sentence);
  if (remark_) remark_(sentence);
}

}  // namespace muster
