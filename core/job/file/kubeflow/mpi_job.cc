// SPDX-License-Identifier: Apache-2.0
// MPIJob of kubeflow.org/v1 and v2beta1: the launcher has the command, the workers have the size and the resources.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/readers.h"
#include "core/job/file/kubeflow/replica_specs.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

void check_clean_policy(Reading& reading, const YamlNode* policy) {
  const std::vector<std::string> known{"None", "Running", "All"};
  if (policy == nullptr || std::find(known.begin(), known.end(), policy->text) != known.end()) return;
  reading.error("E1802", policy->where, "there is no cleanPodPolicy `" + escaped(policy->text) + "`",
                "it is None, Running or All; Kubernetes would reject it too",
                nearest(policy->text, known).value_or(""));
}

}  // namespace

void read_mpi_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  const YamlNode* spec = child(&document, "spec");
  read_run_policy(reading, job, spec);
  auto groups = read_replicas(reading, job, document, "mpiReplicaSpecs", {"Launcher", "Worker"},
                              {"mpi", "launcher", "worker", "mpi-launcher", "mpi-worker"});
  if (groups.empty()) return;
  if (groups.front().role != "Launcher")
    return reading.error("E1806", groups.front().where, "this MPIJob has no launcher",
                         "add mpiReplicaSpecs.Launcher with the command");
  const bool has_workers = groups.size() > 1;
  const bool launcher_works = !has_workers || is_true(child(spec, "runLauncherAsWorker"));
  const ReplicaGroup& launcher = groups.front();
  ReplicaGroup& workers = groups.back();
  const bool is_job = text_of(child(&document, "apiVersion")) == "kubeflow.org/v2beta1";
  read_restart_policies(job, {launcher}, is_job);
  if (is_job) check_clean_policy(reading, find(spec, {"runPolicy", "cleanPodPolicy"}));
  if (workers.restart != nullptr && restart_of(workers) != restart_of(launcher))
    reading.note(workers.restart->where,
                 "`restartPolicy` of the workers has no effect: ranks restart as that of the launcher says");
  MpiSize size;
  size.workers = has_workers ? workers.nodes : 0;
  size.slots = count_at_least(reading, child(spec, "slotsPerWorker"), 1, "slotsPerWorker").value_or(1);
  size.launcher_works = launcher_works;
  size.where = workers.where;
  MpiPods pods{std::move(groups.front().pod), std::nullopt};
  if (has_workers) {
    note_command_of_workers(reading, workers.pod);
    pods.workers = std::move(workers.pod);
  }
  launch_mpi_pods(reading, job, std::move(pods), size);
}

}  // namespace muster
