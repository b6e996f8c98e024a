#include "core/framework/framework.h"

namespace muster {
namespace {

bool is_python(const std::vector<std::string>& command) {
  if (command.empty()) return false;
  const std::string program = command[0].substr(command[0].rfind('/') + 1);
  const bool script = command[0].size() > 3 && command[0].ends_with(".py");
  return script || program.starts_with("python") || program.starts_with("pypy");
}

}  // namespace

std::map<std::string, std::string> plain_environment(const JobSpec& spec, const PlannedRank& rank,
                                                     const AttemptPlace& place) {
  const GroupSpec& group = spec.groups[rank.group];
  std::map<std::string, std::string> environment = {
      {"MUSTER_JOB_ID", place.job.text()},
      {"MUSTER_JOB_NAME", place.job_name},
      {"MUSTER_ATTEMPT", std::to_string(place.attempt)},
      {"MUSTER_RESTARTS", std::to_string(place.restarts)},
      {"MUSTER_GROUP", group.name},
      {"MUSTER_RANK", std::to_string(rank.world_rank)},
      {"MUSTER_WORLD_SIZE", std::to_string(rank.world_size)},
      {"MUSTER_LOCAL_RANK", std::to_string(rank.local_rank)},
      {"MUSTER_LOCAL_WORLD_SIZE", std::to_string(rank.local_size)},
      {"MUSTER_NODE", std::to_string(rank.node)},
  };
  if (rank.node < place.addresses.size()) environment["MUSTER_ADDRESS"] = place.addresses[rank.node];
  if (is_python(group.command)) environment["PYTHONUNBUFFERED"] = "1";
  return environment;
}

std::map<std::string, std::string> device_environment(const PlannedRank& rank) {
  if (rank.gpus.empty()) return {};
  std::string uuids;
  for (const Gpu& gpu : rank.gpus) uuids += (uuids.empty() ? "" : ",") + gpu.uuid;
  return {{"CUDA_VISIBLE_DEVICES", uuids}};
}

std::map<std::string, std::string> framework_defaults(const JobSpec& spec, const PlannedRank& rank) {
  if (spec.framework == Framework::torch && rank.local_size > 1) return {{"OMP_NUM_THREADS", "1"}};
  return {};
}

std::map<std::string, std::string> framework_environment(const JobSpec& spec, const Plan& plan, const PlannedRank& rank,
                                                         const AttemptPlace& place) {
  std::map<std::string, std::string> environment = plain_environment(spec, rank, place);
  environment.merge(device_environment(rank));
  switch (spec.framework) {
    case Framework::plain: break;
    case Framework::torch: environment.merge(torch_environment(spec, plan, rank, place)); break;
  }
  return environment;
}

}  // namespace muster
