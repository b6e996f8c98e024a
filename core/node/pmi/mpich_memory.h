// SPDX-License-Identifier: Apache-2.0
// The names of the shared memory that ranks of MPICH 4.2 and newer, and of Intel MPI, make on a node. They remove it in MPI_Finalize,
// so it is left if a rank is killed. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

// `world`: the name of the key-value space. `node`: this node's number in the world.
std::vector<std::string> mpich_memory(const std::string& world, uint32_t node);

}  // namespace muster
