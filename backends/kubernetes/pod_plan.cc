// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod_plan.h"

#include "core/base/text.h"

namespace muster {
namespace {

constexpr uint64_t kMostRanks = 100'000;

uint32_t workers_of(const GroupSpec& group) { return group.workers.automatic ? 1 : group.workers.count; }
uint32_t gpus_of(const GroupSpec& group) { return group.worker.gpus.automatic ? 0 : group.worker.gpus.count; }

// Placeholders: only the pod knows its GPUs' names and sizes.
std::vector<Gpu> gpus_at(uint32_t first, uint32_t count) {
  std::vector<Gpu> gpus;
  for (uint32_t index = first; index < first + count; ++index)
    gpus.push_back({index, std::to_string(index), "", 0, -1});
  return gpus;
}

PlannedRank rank_at(const GroupSpec& group, uint32_t group_node, uint32_t local) {
  PlannedRank rank;
  rank.local_size = workers_of(group);
  rank.local_rank = local;
  rank.rank = group_node * rank.local_size + local;
  rank.world_size = group.max_nodes * rank.local_size;
  rank.group_node = group_node;
  rank.group_nodes = group.max_nodes;
  rank.gpus = gpus_at(local * gpus_of(group), gpus_of(group));
  rank.memory_bytes = group.worker.memory_bytes;
  return rank;
}

void add_node(const JobSpec& spec, uint32_t group, uint32_t group_node, Plan& plan) {
  const GroupSpec& own = spec.groups[group];
  const std::string host = spec.name + "-" + own.name + "-0-" + std::to_string(group_node);
  PlannedNode node{static_cast<NodeIndex>(plan.nodes.size()), group, host, {}};
  for (uint32_t local = 0; local < workers_of(own); ++local) {
    PlannedRank rank = rank_at(own, group_node, local);
    rank.group = group;
    rank.node = node.node;
    node.ranks.push_back(static_cast<uint32_t>(plan.ranks.size()));
    plan.ranks.push_back(std::move(rank));
  }
  plan.nodes.push_back(std::move(node));
}

void number_worlds(const JobSpec& spec, Plan& plan) {
  const bool shared = spec.world == World::shared;
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    plan.ranks[i].world_rank = shared ? static_cast<Rank>(i) : plan.ranks[i].rank;
    if (shared) plan.ranks[i].world_size = static_cast<uint32_t>(plan.ranks.size());
  }
}

}  // namespace

Result<Plan> plan_of_pods(const JobSpec& spec) {
  if (spec.groups.empty()) return Status(Code::invalid_argument, "the job has no group of workers");
  uint64_t ranks = 0;
  for (const GroupSpec& group : spec.groups) ranks += uint64_t{group.max_nodes} * workers_of(group);
  if (ranks > kMostRanks)
    return Status(Code::invalid_argument, "the job has " + count_of(ranks, "rank") + ", more than " +
                                              humane_count(kMostRanks) + "; lower nodes or workers");
  Plan plan;
  for (uint32_t group = 0; group < spec.groups.size(); ++group)
    for (uint32_t node = 0; node < spec.groups[group].max_nodes; ++node) add_node(spec, group, node, plan);
  number_worlds(spec, plan);
  return plan;
}

}  // namespace muster
