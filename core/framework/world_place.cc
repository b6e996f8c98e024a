// SPDX-License-Identifier: Apache-2.0
#include "core/framework/world_place.h"

namespace muster {

std::optional<std::string> node_gpus(const RankPlace& view) {
  if (view.rank.gpus.empty()) return std::nullopt;
  std::string uuids;
  for (const uint32_t index : view.plan.nodes[view.rank.node].ranks) {
    for (const Gpu& gpu : view.plan.ranks[index].gpus) uuids += (uuids.empty() ? "" : ",") + gpu.uuid;
  }
  return uuids;
}

}  // namespace muster
