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
