// SPDX-License-Identifier: Apache-2.0
// Variables that DeepSpeed's launcher sets besides those of torch (deepspeed/launcher/launch.py). DeepSpeed's C++
// shared-memory collectives read LOCAL_SIZE.
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

constexpr FrameworkVariable kDeepspeedVariables[] = {
    {"LOCAL_SIZE", "number of ranks on the node", [](View v) -> Value { return std::to_string(v.rank.local_size); }},
    {"CROSS_RANK", "number of the node among the nodes of the world",
     [](View v) -> Value { return std::to_string(world_node(v)); }},
    {"CROSS_SIZE", "number of nodes of the world", [](View v) -> Value { return std::to_string(world_nodes(v)); }},
};

}  // namespace

std::span<const FrameworkVariable> deepspeed_variables() { return kDeepspeedVariables; }

}  // namespace muster
