// SPDX-License-Identifier: Apache-2.0
// Decides how muster starts the command of a pod: as ranks of a framework, or as one process that starts the others
// itself. Private to core/job/file/kubeflow.
#pragma once

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// The processes of a node, as a manifest says it: a number, auto, cpu or gpu; absent: its framework decides.
struct NodeProcesses {
  std::optional<YamlNode> asked;
  bool one_without = false;   // if nothing is asked: one process, not one per GPU or CPU
  uint64_t nodes_of_job = 0;  // of all groups, which torchrun counts; 0: those of the group
};

// The number of processes for `asked`, by what the pod has. "auto" and "gpu": one per GPU; "auto" without GPUs and "cpu":
// one per CPU. Reports other texts.
YamlNode settled_processes(Reading& reading, const PodGroup& group, const NodeProcesses& processes);

// Whether launch_torch() can start the ranks of the command itself: it is torchrun or Python.
bool starts_torch_ranks(const PodGroup& group, const std::string& python);

// Torch: takes torchrun apart, and sets `framework`, the command and the size. Python without torchrun runs once per
// node, as in a pod, unless a number of processes is asked for. Other commands: launch_once_per_node().
void launch_torch(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size, const NodeProcesses& processes);

// A shell script or another launcher runs once per node, with the variables of torchrun (PET_NNODES, …).
void launch_once_per_node(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size,
                          const NodeProcesses& processes);

// MPI: the launcher's command, its variables over those of the workers, and the workers' pods, in which the ranks run.
// `launcher_works`: the launcher's pod has ranks too.
PodGroup join_mpi_pods(const PodGroup& launcher, const PodGroup& workers, bool launcher_works);

// A line for a command of the workers that does more than to start sshd, because muster does not run it.
void note_command_of_workers(Reading& reading, const PodGroup& workers);

// Whether launch_mpi() can start the ranks of the launcher's command itself: it is mpirun with one program, or it has mistakes, which
// launch_mpi() reports.
bool starts_mpi_ranks(const PodGroup& launcher);

// MPI: takes mpirun and mpiexec apart. Sets `framework`, the command and its variables, and the settings of the job that
// flags such as --wdir change. Before the call, `size` has the nodes, and their slots as workers; after it, the ranks
// that mpirun would start there. Reports flags that muster does not have.
void launch_mpi(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size);

struct MpiPods {
  PodGroup launcher;
  std::optional<PodGroup> workers;
  std::string ranks_name = "worker";  // of the only group, if muster starts the ranks itself
};

struct MpiSize {
  uint64_t workers = 0;         // pods of workers
  uint64_t slots = 1;           // of each node
  bool launcher_works = false;  // the launcher's pod has ranks too
  SourceRange where;
};

// Adds the groups of an MPI job. If the launcher's command is mpirun with one program, muster starts its ranks itself, in
// the pods of the workers. Any other command runs in the launcher's pod, with muster's mpirun first in PATH, and the
// workers wait for the ranks that it starts.
void launch_mpi_pods(Reading& reading, YamlNode& job, MpiPods pods, const MpiSize& size);

}  // namespace muster
