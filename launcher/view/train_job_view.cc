// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/train_job_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/client/exit_code.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// kubectl shows whole seconds.
std::string time_text(TimePoint time) { return format_utc(time).substr(0, 19) + "Z"; }

bool is_held(const JobView& job) { return job.state == "queued" && !job.held_by.empty(); }

Json condition(const char* type, bool status, const char* reason, const std::string& message, TimePoint since) {
  return {{"type", type},
          {"status", status ? "True" : "False"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", time_text(since)}};
}

// Trainer copies the reason of the JobSet. It has none for a job that a user stopped, which is deleted there.
const char* failure_reason(const JobView& job) {
  if (job.state == "cancelled") return "Stopped";
  const bool limited = parse_job_json(job.spec_json, "the job").spec.timeouts.run.count() > 0;
  if (job.exit_code == exit_timeout && limited) return "DeadlineExceeded";
  return job.restart_limit > 0 && job.restarts >= job.restart_limit ? "ReachedMaxRestarts" : "FailedJobs";
}

// Also a job that has ended before it was released.
bool is_suspended(const JobView& job, bool suspended_at_first) {
  return is_held(job) || (suspended_at_first && job.done && job.started == TimePoint());
}

Json conditions_of(const JobView& job, bool suspended_at_first) {
  Json list = Json::array();
  const bool suspended = is_suspended(job, suspended_at_first);
  const TimePoint resumed = job.started != TimePoint() ? job.started : job.submitted;
  if (suspended) list.push_back(condition("Suspended", true, "Suspended", "TrainJob is suspended", job.submitted));
  if (!suspended && suspended_at_first)
    list.push_back(condition("Suspended", false, "Resumed", "TrainJob is resumed", resumed));
  if (job.state == "succeeded")
    list.push_back(condition("Complete", true, "AllJobsCompleted", job.sentence, job.ended));
  if (job.done && job.state != "succeeded")
    list.push_back(condition("Failed", true, failure_reason(job), job.sentence, job.ended));
  return list;
}

bool is_up(const RankView& rank) { return rank.phase == RankPhase::running || (rank.exit && rank.exit->success()); }

// A group of ranks is what one Job of the JobSet would be: each number is 0 or 1.
Json job_status(const JobView& job, const std::string& group) {
  std::vector<const RankView*> ranks;
  for (const RankView& rank : job.ranks) {
    if (rank.group == group) ranks.push_back(&rank);
  }
  const bool all_up =
      !ranks.empty() && std::all_of(ranks.begin(), ranks.end(), [](auto* rank) { return is_up(*rank); });
  const bool live = !job.done && !is_held(job);
  return {{"name", group},
          {"active", live ? 1 : 0},
          {"ready", live && all_up ? 1 : 0},
          {"succeeded", job.state == "succeeded" ? 1 : 0},
          {"failed", job.done && job.state != "succeeded" ? 1 : 0},
          {"suspended", is_held(job) ? 1 : 0}};
}

Json status_of(const JobView& job, bool suspended_at_first) {
  Json status = Json::object();
  if (Json conditions = conditions_of(job, suspended_at_first); !conditions.empty()) status["conditions"] = conditions;
  for (const GroupSpec& group : parse_job_json(job.spec_json, "the job").spec.groups)
    status["jobsStatus"].push_back(job_status(job, group.name));
  return status;
}

bool has(const Json& object, const char* key, Json::value_t type) {
  return object.is_object() && object.contains(key) && object[key].type() == type;
}

std::string why_not(const JobView& job, const std::string& kind) {
  const std::string name = escaped(job.name);
  const std::string why = job.backend == "kubernetes" ? " runs in a cluster, where muster keeps no TrainJob"
                          : kind.empty()              ? " was not read from a TrainJob"
                                                      : " was read from a " + escaped(kind);
  return name + why + ", so it has no status of one; its state in muster's words: muster describe " + name + " -o yaml";
}

}  // namespace

Result<std::string> train_job_json(const JobView& job) {
  Json object = Json::parse(job.manifest, nullptr, false);
  const bool sound = has(object, "kind", Json::value_t::string) && has(object, "spec", Json::value_t::object);
  const std::string kind = sound ? object["kind"].get<std::string>() : "";
  if (kind != "TrainJob") return Status(Code::failed_precondition, why_not(job, kind));
  const bool suspended_at_first = object["spec"].contains("suspend") && object["spec"]["suspend"] == true;
  if (!has(object, "metadata", Json::value_t::object)) object["metadata"] = Json::object();
  object["metadata"]["name"] = job.name;
  object["metadata"]["uid"] = job.id.text();
  object["metadata"]["creationTimestamp"] = time_text(job.submitted);
  if (suspended_at_first || is_held(job)) object["spec"]["suspend"] = is_suspended(job, suspended_at_first);
  object["status"] = status_of(job, suspended_at_first);
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster
