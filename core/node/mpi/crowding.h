// SPDX-License-Identifier: Apache-2.0
// Whether MPI ranks share CPUs, so that one that waits must leave its CPU to the others. Any thread.
#pragma once

#include <vector>

#include "core/port/mpi_task.h"
#include "core/port/process_host.h"

namespace muster {

// `ranks`: of this node. Bound ranks share the CPUs that they are bound to; others those that this process may use, with the ranks of
// other nodes on this machine. False if these CPUs are unknown.
bool has_more_ranks_than_cpus(const std::vector<SpawnRequest>& ranks, const MpiTask& task);

}  // namespace muster
