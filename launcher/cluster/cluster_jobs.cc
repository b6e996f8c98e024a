#include "launcher/cluster/cluster_jobs.h"

#include <algorithm>

#include "core/model/pod_words.h"
#include "launcher/cluster/cluster_access.h"

namespace muster {
namespace {

constexpr const char* kJobSets = "jobsets.jobset.x-k8s.io";
const std::string kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";
const std::string kCoordinators = std::string("jobset.sigs.k8s.io/replicatedjob-name=") + pod::kCoordinatorJob;

bool may_be_name(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
  }) && word.front() != '-';
}

Status unknown_job(const std::string& word, const ClusterPlace& place) {
  return {Code::not_found,
          "there is no job `" + word + "`" +
              (place.space.empty() ? " in the namespace of this context" : " in the namespace `" + place.space + "`") +
              "; muster ps" + cluster_flags(place) + " lists them"};
}

}  // namespace

std::vector<std::string> words_for_job_set(const std::string& name) { return {"get", kJobSets, name, "-o", "json"}; }

std::vector<std::string> words_for_pods(const std::string& name) {
  return {"get", "pods", "-l", kJobSetLabel + "=" + name, "-o", "json"};
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
    return Status(Code::invalid_argument, "`" + word + "` begins the names of " + std::to_string(jobs->size()) +
                                              " jobs: " + jobs->front().name + ", " + jobs->at(1).name + " …");
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

Result<std::vector<PodFacts>> ClusterJobs::waiting_pods() {
  const auto json = run_kubectl(
      access_, {.words = {"get", "pods", "-l", pod::kJobLabel, "--field-selector=status.phase=Pending", "-o", "json"},
                .apart = false});
  return json.ok() ? read_pods(*json) : Result<std::vector<PodFacts>>(json.status());
}

Result<ControlClient*> ClusterJobs::ask(const std::string& name, const std::string& pod) {
  const auto known = links_.find(name);
  if (known != links_.end() && known->second.pod == pod) return &known->second.link->client();
  auto link = CoordinatorLink::open(loop_, access_, pod);
  if (!link.ok()) return link.status();
  Link& kept = links_[name];
  kept = {pod, std::move(*link)};
  return &kept.link->client();
}

void ClusterJobs::say(const std::string& sentence) {
  if (std::find(said_.begin(), said_.end(), sentence) != said_.end()) return;
  said_.push_back(sentence);
  if (remark_) remark_(sentence);
}

}  // namespace muster
