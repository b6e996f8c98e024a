// SPDX-License-Identifier: Apache-2.0
// If TORCHELASTIC_RUN_ID is set, Lightning uses torch's variables
// (lightning/fabric/plugins/environments/torchelastic.py), even inside a Slurm allocation. NODE_RANK is for programs
// that select LightningEnvironment explicitly.
#include "core/framework/world_place.h"

namespace muster {
namespace {

constexpr FrameworkVariable kLightningVariables[] = {
    {"NODE_RANK", "number of the node among the nodes of the world, for programs that use LightningEnvironment",
     [](const RankPlace& v) -> std::optional<std::string> { return std::to_string(world_node(v)); }},
};

}  // namespace

std::span<const FrameworkVariable> lightning_variables() { return kLightningVariables; }

}  // namespace muster
