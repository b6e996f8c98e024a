// Where a rank stands in its world: all groups share one, or each has its own (JobSpec::world). Pure.
#pragma once

#include <cstddef>

#include "core/framework/framework.h"

namespace muster {

// Where hosts come and go, the plan has places that nobody has.
inline bool spans_plan(const RankPlace& view) { return view.spec.world == World::shared && !view.plan.membership; }

// The rank's node among the nodes of its world, and how many those are.
inline size_t world_node(const RankPlace& view) { return spans_plan(view) ? view.rank.node : view.rank.group_node; }
inline size_t world_nodes(const RankPlace& view) {
  return spans_plan(view) ? view.plan.nodes.size() : view.rank.group_nodes;
}

// Where the service of its first rank listens: groups of one world meet at the first.
inline const Endpoint& world_endpoint(const RankPlace& view) {
  return view.place.endpoints.at(view.spec.world == World::shared ? 0 : view.rank.group);
}

// Where peers reach the rank's node; nothing: not known yet.
inline std::optional<std::string> node_address(const RankPlace& view) {
  if (view.rank.node >= view.place.addresses.size()) return std::nullopt;
  return view.place.addresses[view.rank.node];
}

}  // namespace muster
