// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_facts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/job/pod_words.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr const char* kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";
constexpr const char* kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr const char* kPartLabel = "jobset.sigs.k8s.io/replicatedjob-name";

// The value at a path of names, or null.
const Json& at(const Json& object, std::initializer_list<const char*> path) {
  static const Json none;
  const Json* here = &object;
  for (const char* name : path) {
    if (!here->is_object()) return none;
    const auto found = here->find(name);
    if (found == here->end()) return none;
    here = &*found;
  }
  return *here;
}

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::string text(const Json& object, std::initializer_list<const char*> path) { return text(at(object, path)); }

bool is_true(const Json& value) { return value.is_boolean() && value.get<bool>(); }

uint32_t count(const Json& value) {
  constexpr int64_t kMost = 1 << 24;
  return value.is_number_integer() ? static_cast<uint32_t>(std::clamp<int64_t>(value.get<int64_t>(), 0, kMost)) : 0;
}

const Json& list(const Json& value) {
  static const Json none = Json::array();
  return value.is_array() ? value : none;
}

// The condition of this type if it has this status, or nullptr.
const Json* condition(const Json& object, std::string_view type, std::string_view status = "True") {
  for (const Json& each : list(at(object, {"status", "conditions"}))) {
    if (text(each, {"type"}) == type && text(each, {"status"}) == status) return &each;
  }
  return nullptr;
}

std::string job_of(const Json& job_set) {
  for (const Json& part : list(at(job_set, {"spec", "replicatedJobs"}))) {
    if (text(part, {"name"}) != pod::kCoordinatorJob) continue;
    for (const Json& container : list(at(part, {"template", "spec", "template", "spec", "containers"}))) {
      for (const Json& variable : list(at(container, {"env"}))) {
        if (text(variable, {"name"}) == pod::kJobVariable) return text(variable, {"value"});
      }
    }
  }
  return "";
}

void read_end(const Json& object, JobSetFacts& facts) {
  const Json* completed = condition(object, "Completed");
  const Json* failed = condition(object, "Failed");
  const Json* end = completed != nullptr ? completed : failed;
  if (end == nullptr) return;
  facts.end = completed != nullptr ? JobSetFacts::End::completed : JobSetFacts::End::failed;
  facts.ended = read_cluster_time(text(*end, {"lastTransitionTime"}));
  facts.why = text(*end, {"message"});
}

JobSetFacts read_job_set(const Json& object) {
  JobSetFacts facts;
  facts.name = text(object, {"metadata", "name"});
  facts.uid = text(object, {"metadata", "uid"});
  facts.created = read_cluster_time(text(object, {"metadata", "creationTimestamp"}));
  facts.leaving = at(object, {"metadata", "deletionTimestamp"}).is_string();
  facts.spec_json = job_of(object);
  facts.suspended = is_true(at(object, {"spec", "suspend"}));
  facts.queue = text(at(object, {"metadata", "labels", kQueueLabel}));
  if (facts.suspended) {
    const Json* why = condition(object, "Suspended");
    if (why != nullptr) facts.why = text(*why, {"message"});
  }
  read_end(object, facts);
  for (const Json& part : list(at(object, {"status", "replicatedJobsStatus"})))
    facts.parts.push_back({text(part, {"name"}), count(at(part, {"ready"})), count(at(part, {"active"})),
                           count(at(part, {"succeeded"})), count(at(part, {"failed"}))});
  return facts;
}

// These two reasons are normal while containers are created.
bool is_trouble(const std::string& reason) {
  return !reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing";
}

std::string said(const std::string& reason, const std::string& message) {
  return message.empty() ? reason : reason + ": " + message;
}

std::string trouble_of(const Json& statuses) {
  for (const Json& each : list(statuses)) {
    const Json& waiting = at(each, {"state", "waiting"});
    const std::string reason = text(waiting, {"reason"});
    if (!is_trouble(reason)) continue;
    const std::string last = text(each, {"lastState", "terminated", "message"});
    return "container " + text(each, {"name"}) + ": " + said(reason, last.empty() ? text(waiting, {"message"}) : last);
  }
  return "";
}

// True for the scheduler's messages about claims that have no volume yet.
bool is_about_claims(const std::string& message) {
  constexpr std::array<std::string_view, 4> kSigns = {"unbound immediate PersistentVolumeClaims",
                                                      "persistentvolumeclaim \"",
                                                      "available persistent volumes to bind", "binding volumes"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return message.find(sign) != std::string::npos; });
}

void read_wait_for_node(const Json& object, PodFacts& facts) {
  const Json* no_node = condition(object, "PodScheduled", "False");
  const std::string message = no_node == nullptr ? "" : text(*no_node, {"message"});
  const bool volumes = is_about_claims(message) || (message.empty() && !facts.claims.empty());
  facts.events = volumes ? PodFacts::Events::of_claims : PodFacts::Events::none;
  if (no_node == nullptr) {
    facts.waits = "the scheduler";
  } else {
    facts.waits = (is_about_claims(message) ? "a volume: " : "a node: ") +
                  (message.empty() ? text(*no_node, {"reason"}) : message);
  }
}

void read_wait(const Json& object, PodFacts& facts) {
  const bool pending = facts.phase == "Pending";
  if (!pending && facts.running) return;
  if (pending && (facts.node.empty() || condition(object, "PodScheduled", "False") != nullptr))
    return read_wait_for_node(object, facts);
  if (pending) facts.waits = trouble_of(at(object, {"status", "initContainerStatuses"}));
  if (facts.waits.empty()) facts.waits = trouble_of(at(object, {"status", "containerStatuses"}));
  if (!pending || !facts.waits.empty()) return;
  facts.waits = "its containers on " + facts.node;
  // A pod with this condition has its volumes and its network.
  if (condition(object, "PodReadyToStartContainers") == nullptr) facts.events = PodFacts::Events::of_pod;
}

std::string container_of(const std::string& part) {
  return part == pod::kCoordinatorJob || part == pod::kVerdictJob ? part : pod::kAgentContainer;
}

// Other containers of the pod, which a cluster may add before or after muster's, are ignored.
void read_own_container(const Json& object, PodFacts& facts) {
  const std::string own = container_of(facts.part);
  for (const Json& each : list(at(object, {"status", "containerStatuses"}))) {
    if (text(each, {"name"}) != own) continue;
    facts.running = at(each, {"state", "running"}).is_object();
    facts.ready = is_true(at(each, {"ready"}));
    const Json& ended = at(each, {"state", "terminated"});
    facts.well = ended.is_object() && at(ended, {"exitCode"}) == 0;  // restartPolicy OnFailure: not restarted
    facts.over = ended.is_object() && (facts.well || facts.phase == "Succeeded" || facts.phase == "Failed");
    const Json& last = ended.is_object() ? ended : at(each, {"lastState", "terminated"});
    facts.termination_message = text(last, {"message"});
    facts.last_reason = text(last, {"reason"});
    facts.last_ended = read_cluster_time(text(last, {"finishedAt"}));
  }
}

PodFacts read_pod(const Json& object) {
  PodFacts facts;
  facts.name = text(object, {"metadata", "name"});
  facts.job = text(at(object, {"metadata", "labels", kJobSetLabel}));
  facts.part = text(at(object, {"metadata", "labels", kPartLabel}));
  facts.phase = text(object, {"status", "phase"});
  facts.node = text(object, {"spec", "nodeName"});
  facts.leaving = at(object, {"metadata", "deletionTimestamp"}).is_string();
  facts.created = read_cluster_time(text(object, {"metadata", "creationTimestamp"}));
  for (const Json& volume : list(at(object, {"spec", "volumes"}))) {
    const std::string claim = text(volume, {"persistentVolumeClaim", "claimName"});
    if (!claim.empty()) facts.claims.push_back(claim);
  }
  read_own_container(object, facts);
  read_wait(object, facts);
  return facts;
}

template <typename Facts>
Result<std::vector<Facts>> read_all(std::string_view json, Facts (*read)(const Json&)) {
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return Status(Code::data_loss, "kubectl did not print a JSON object");
  std::vector<Facts> all;
  if (!at(object, {"items"}).is_array()) {
    all.push_back(read(object));
    return all;
  }
  for (const Json& each : at(object, {"items"})) all.push_back(read(each));
  return all;
}

}  // namespace

TimePoint read_cluster_time(std::string_view text) {
  constexpr std::string_view kForm = "2026-11-23T10:28:40Z";
  if (text.size() < kForm.size()) return {};
  std::array<int, 6> parts{};
  constexpr std::array<std::pair<size_t, size_t>, 6> kPlaces = {{{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const char c : text.substr(kPlaces[i].first, kPlaces[i].second)) {
      if (c < '0' || c > '9') return {};
      parts[i] = parts[i] * 10 + (c - '0');
    }
  }
  using namespace std::chrono;
  const year_month_day day{year(parts[0]), month(static_cast<unsigned>(parts[1])),
                           std::chrono::day(static_cast<unsigned>(parts[2]))};
  constexpr int kFirstYear = 1970;
  constexpr int kLastYear = 2200;  // what nanoseconds can count
  if (!day.ok() || parts[0] < kFirstYear || parts[0] > kLastYear) return {};
  return TimePoint(sys_days(day).time_since_epoch() + hours(parts[3]) + minutes(parts[4]) + seconds(parts[5]));
}

std::string read_queue_reason(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  for (const Json& each : list(at(object, {"items"}))) {
    for (const char* type : {"QuotaReserved", "Admitted"}) {
      const Json* no = condition(each, type, "False");
      if (no != nullptr && !text(*no, {"message"}).empty()) return text(*no, {"message"});
    }
  }
  return "";
}

Result<std::vector<JobSetFacts>> read_job_sets(std::string_view json) {
  return read_all<JobSetFacts>(json, read_job_set);
}

Result<std::vector<PodFacts>> read_pods(std::string_view json) { return read_all<PodFacts>(json, read_pod); }

}  // namespace muster
