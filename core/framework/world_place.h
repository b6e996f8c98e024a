// SPDX-License-Identifier: Apache-2.0
// The place of a rank in its world. Groups share one world, or each has its own (JobSpec::world). Pure.
#pragma once

#include <cstddef>

#include "core/base/text.h"
#include "core/framework/framework.h"

namespace muster {

// Whether the world has all nodes of the plan. With elastic membership, some nodes of the plan may have no host.
inline bool spans_plan(const RankPlace& view) { return view.spec.world == World::shared && !view.plan.membership; }

// The index of the rank's node among the nodes of its world, and the number of these nodes.
inline size_t world_node(const RankPlace& view) { return spans_plan(view) ? view.rank.node : view.rank.group_node; }
inline size_t world_nodes(const RankPlace& view) {
  return spans_plan(view) ? view.plan.nodes.size() : view.rank.group_nodes;
}

// The endpoint at which the ranks of the world meet; in a shared world, that of the first group.
inline const Endpoint& world_endpoint(const RankPlace& view) {
  return view.place.endpoints.at(view.spec.world == World::shared ? 0 : view.rank.group);
}

// That endpoint as the value of a variable: "10.0.0.1:23456".
inline std::optional<std::string> world_endpoint_text(const RankPlace& view) {
  return host_port(world_endpoint(view).address, world_endpoint(view).port);
}

// The address at which peers reach the rank's node; nullopt: not known yet.
inline std::optional<std::string> node_address(const RankPlace& view) {
  if (view.rank.node >= view.place.addresses.size()) return std::nullopt;
  return view.place.addresses[view.rank.node];
}

// The value of a variable.
inline std::optional<std::string> number_text(uint64_t value) { return std::to_string(value); }

// CUDA_VISIBLE_DEVICES of a program that selects its device by its local rank: the GPUs of all ranks on the node, by
// UUID. nullopt: muster knows no GPUs of this rank.
std::optional<std::string> node_gpus(const RankPlace& view);

}  // namespace muster
