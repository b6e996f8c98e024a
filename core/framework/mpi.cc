// SPDX-License-Identifier: Apache-2.0
// Variables for MPI programs, as Open MPI's mpirun sets them. The PMIx service of the node adds the variables by which
// an MPI library finds its peers (core/node/pmix).
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

constexpr FrameworkVariable kMpiVariables[] = {
    // Open MPI 4 runs each rank as a world of its own unless the environment names a launcher that it knows. This
    // variable, of IBM's jsrun, has the fewest other effects; Open MPI also leaves the binding of ranks as it is.
    {"JSM_JSRUN_PORT", "tells Open MPI 4 that a launcher has started the rank", [](View) -> Value { return "1"; }},
    // libpmix may prefer munge, which not every machine has.
    {"PMIX_MCA_psec", "native: the rank's user id authenticates it to the PMIx service",
     [](View) -> Value { return "native"; }, true},
    {"OMPI_COMM_WORLD_RANK", "the rank in its world",
     [](View v) -> Value { return std::to_string(v.rank.world_rank); }},
    {"OMPI_COMM_WORLD_SIZE", "number of ranks of the world",
     [](View v) -> Value { return std::to_string(v.rank.world_size); }},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "the rank on its node",
     [](View v) -> Value { return std::to_string(v.rank.local_rank); }},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "number of ranks on the node",
     [](View v) -> Value { return std::to_string(v.rank.local_size); }},
    {"OMPI_COMM_WORLD_NODE_RANK", "the rank on its node",
     [](View v) -> Value { return std::to_string(v.rank.local_rank); }},
};

}  // namespace

std::span<const FrameworkVariable> mpi_variables() { return kMpiVariables; }

}  // namespace muster
