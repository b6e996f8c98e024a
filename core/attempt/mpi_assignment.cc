// SPDX-License-Identifier: Apache-2.0
// Builds the task of a node's PMIx service: the part of assignment.h about MPI.
#include "core/attempt/assignment.h"

namespace muster {
namespace {

// Several nodes may be on one host, but PMIx tells nodes apart by their names.
void make_names_unique(std::vector<MpiNode>& nodes) {
  std::map<std::string, uint32_t> seen;
  for (const MpiNode& node : nodes) ++seen[node.name];
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (seen[nodes[i].name] > 1) nodes[i].name += "-node-" + std::to_string(i);
  }
}

}  // namespace

std::optional<MpiTask> mpi_of(const Submission& submission, NodeIndex node, Attempt attempt) {
  const Plan& plan = submission.plan;
  if (submission.spec.framework != Framework::mpi || plan.nodes[node].ranks.empty()) return std::nullopt;
  MpiTask task;
  const bool shared = submission.spec.world == World::shared;
  task.name_space = "muster-" + submission.id.text() + "-" + std::to_string(attempt);
  if (!shared) task.name_space += "-" + std::to_string(plan.nodes[node].group);
  for (const PlannedNode& each : plan.nodes) {
    if (each.ranks.empty() || (!shared && each.group != plan.nodes[node].group)) continue;
    if (each.node == node) task.node = static_cast<uint32_t>(task.nodes.size());
    MpiNode& place = task.nodes.emplace_back(MpiNode{each.host, {}});
    for (const uint32_t index : each.ranks) place.ranks.push_back(plan.ranks[index].world_rank);
  }
  task.indices = plan.nodes[node].ranks;
  make_names_unique(task.nodes);
  return task;
}

}  // namespace muster
