// Lightning finds torch's names by TORCHELASTIC_RUN_ID (lightning/fabric/plugins/environments/torchelastic.py), even
// inside a Slurm allocation; one name of its own LightningEnvironment is added for programs that choose that by hand.
#include "core/framework/world_place.h"

namespace muster {
namespace {

constexpr FrameworkVariable kLightningVariables[] = {
    {"NODE_RANK", "the node among the nodes of the world, for programs that name LightningEnvironment",
     [](const RankPlace& v) -> std::optional<std::string> { return std::to_string(world_node(v)); }},
};

}  // namespace

std::span<const FrameworkVariable> lightning_variables() { return kLightningVariables; }

}  // namespace muster
