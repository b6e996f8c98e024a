// SPDX-License-Identifier: Apache-2.0
// What both MPI services (PmixService, PmiService) check of a task and say of a rank. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "core/port/mpi_task.h"

namespace muster {

// Follows "rank 3 called MPI_Comm_spawn".
inline constexpr const char* kNoSuchCall = ", which muster does not support: start all ranks of the job together";
inline constexpr const char* kWithoutFinalize = "its program ended with exit code 0, but without MPI_Finalize";

// Of a rank that exited with 0 and never called MPI_Init: "ended without " or "its program …, but without " and this.
inline std::string joining(size_t world_size) {
  return "joining the MPI world of " + std::to_string(world_size) +
         " ranks: it did not call MPI_Init, or muster did not find its MPI library";
}

// Such a rank is a fault if its program is linked to MPI.
inline std::string never_joined(size_t world_size) {
  return "its program ended with exit code 0, but without " + joining(world_size) +
         ". If it uses no MPI, run it with --framework plain";
}

inline std::string called_abort(int code) { return "called MPI_Abort(" + std::to_string(code) + ")"; }

// Whether the task names a rank of its node for each local index.
inline bool is_whole(const MpiTask& task) {
  return task.node < task.nodes.size() && task.nodes[task.node].ranks.size() == task.indices.size();
}

inline size_t world_size(const MpiTask& task) {
  size_t size = 0;
  for (const MpiNode& node : task.nodes) size += node.ranks.size();
  return size;
}

}  // namespace muster
