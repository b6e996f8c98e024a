#include "core/framework/framework.h"

namespace muster {
namespace {

// Ranks of a world that spans several groups count their role apart (torchrun's ROLE_*).
uint32_t role_size(const Plan& plan, uint32_t group) {
  uint32_t size = 0;
  for (const PlannedRank& rank : plan.ranks) size += rank.group == group ? 1 : 0;
  return size;
}

}  // namespace

std::map<std::string, std::string> torch_environment(const JobSpec& spec, const Plan& plan, const PlannedRank& rank,
                                                     const AttemptPlace& place) {
  // One world over all groups meets at the first group's service.
  const uint32_t meeting = spec.world == World::shared ? 0 : rank.group;
  const uint32_t nodes = spec.world == World::shared ? static_cast<uint32_t>(plan.nodes.size()) : rank.group_nodes;
  const uint32_t node = spec.world == World::shared ? rank.node : rank.group_node;
  std::map<std::string, std::string> environment = {
      {"MASTER_ADDR", place.endpoints.at(meeting).address},
      {"MASTER_PORT", std::to_string(place.endpoints.at(meeting).port)},
      {"RANK", std::to_string(rank.world_rank)},
      {"WORLD_SIZE", std::to_string(rank.world_size)},
      {"LOCAL_RANK", std::to_string(rank.local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(rank.local_size)},
      {"GROUP_RANK", std::to_string(node)},
      {"GROUP_WORLD_SIZE", std::to_string(nodes)},
      {"ROLE_NAME", spec.groups[rank.group].name},
      {"ROLE_RANK", std::to_string(rank.rank)},
      {"ROLE_WORLD_SIZE", std::to_string(role_size(plan, rank.group))},
      {"TORCHELASTIC_RUN_ID", place.job.text()},
      {"TORCHELASTIC_RESTART_COUNT", std::to_string(place.restarts)},
      {"TORCHELASTIC_MAX_RESTARTS", std::to_string(spec.restarts.limit)},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
  };
  return environment;
}

}  // namespace muster
