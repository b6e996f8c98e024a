// SPDX-License-Identifier: Apache-2.0
// Variables by which a rank that calls mpirun knows where `muster mpirun` starts ranks in its job. A manifest with a launcher sets them,
// and so can a job file.
#pragma once

namespace muster {

// Names of groups, separated by commas: only their nodes get ranks. Not set: all nodes do.
constexpr const char* kMpirunGroups = "MUSTER_MPIRUN_GROUPS";
// Slots of each node. Not set: as many as the node has ranks of the job.
constexpr const char* kMpirunSlots = "MUSTER_MPIRUN_SLOTS";

// The host file that the MPI operator mounts into a launcher's pod. Command lines that name it mean the nodes of the job.
constexpr const char* kOperatorsHostfile = "/etc/mpi/hostfile";

}  // namespace muster
