// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/job/plan/plan.h"

namespace muster {
namespace {

const PlannedRank* same_place(const Plan& devices, NodeIndex node, uint32_t local_rank) {
  const auto found = std::find_if(devices.ranks.begin(), devices.ranks.end(), [&](const PlannedRank& rank) {
    return rank.node == node && rank.local_rank == local_rank;
  });
  return found == devices.ranks.end() ? nullptr : &*found;
}

PlannedRank rank_on(const PlannedNode& node, uint32_t local, uint32_t ranks, const Plan& devices) {
  PlannedRank rank;
  if (const PlannedRank* before = same_place(devices, node.node, local)) rank = *before;
  rank.group = 0;
  rank.local_rank = local;
  rank.local_size = ranks;
  rank.node = node.node;
  return rank;
}

}  // namespace

Plan plan_of_hosts(const std::vector<HostShare>& hosts, const Plan& devices) {
  Plan plan;
  plan.membership = devices.membership;
  uint32_t group_nodes = 0;
  for (const HostShare& host : hosts) {
    PlannedNode node{static_cast<NodeIndex>(plan.nodes.size()), 0, host.host, {}, host.role};
    for (uint32_t local = 0; local < host.ranks; ++local) {
      node.ranks.push_back(static_cast<uint32_t>(plan.ranks.size()));
      plan.ranks.push_back(rank_on(node, local, host.ranks, devices));
      plan.ranks.back().rank = plan.ranks.back().world_rank = node.ranks.back();
      plan.ranks.back().group_node = group_nodes;
    }
    group_nodes += host.ranks > 0 ? 1 : 0;
    plan.nodes.push_back(std::move(node));
  }
  for (PlannedRank& rank : plan.ranks) {
    rank.world_size = static_cast<uint32_t>(plan.ranks.size());
    rank.group_nodes = group_nodes;
  }
  return plan;
}

}  // namespace muster
