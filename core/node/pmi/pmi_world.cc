// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_world.h"

namespace muster {

// MPI_LOCAL… are read by MPICH's and Intel MPI's choice of devices.
std::map<std::string, std::string> pmi_environment(const PmiWorld& world, uint32_t local_rank, int fd) {
  return {{"PMI_FD", std::to_string(fd)},
          {"PMI_RANK", std::to_string(world.ranks.at(local_rank))},
          {"PMI_SIZE", std::to_string(world.size())},
          {"PMI_JOBID", world.name},
          {"PMI_SPAWNED", "0"},
          {"MPI_LOCALRANKID", std::to_string(local_rank)},
          {"MPI_LOCALNRANKS", std::to_string(world.ranks.size())}};
}

}  // namespace muster
