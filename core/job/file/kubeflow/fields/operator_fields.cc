// SPDX-License-Identifier: Apache-2.0
// kubeflow.org/v1 of the Training Operator, and kubeflow.org/v2beta1 of the MPI operator.
#include <array>
#include <vector>

#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/fields/pod_fields.h"

namespace muster {
namespace {

using enum FieldType;

constexpr std::string_view kRendezvous = "muster serves the rendezvous of the ranks";

constexpr std::array kSchedulingPolicy{
    used_in_cluster("queue", text, "`kubernetes.queue`"),
    used_in_cluster("priorityClass", text, "`kubernetes.priority_class`; on hosts use `priority`"),
    ignored("minAvailable", integer, "muster starts all ranks or none"),
    ignored("minResources", any, "muster counts what all ranks need"),
    ignored("scheduleTimeoutSeconds", integer, "use `timeouts.queue` of a job file"),
};
constexpr std::array kRunPolicy{
    ignored("cleanPodPolicy", text, "muster ends all ranks of a job when it ends, and its pods with it"),
    used_in_cluster("ttlSecondsAfterFinished", integer, "`kubernetes.ttl`; on hosts: muster rm --older"),
    used("activeDeadlineSeconds", integer, "`timeouts.run`"),
    used("backoffLimit", integer, "`restarts.limit`"),
    used("suspend", truth, "`hold`, in a cluster `kubernetes.suspend`"),
    used("schedulingPolicy", map, "the queue and priority of the pods", kSchedulingPolicy),
    used("managedBy", text, "refused if another controller would run the job"),
};
constexpr std::array kElasticPolicy{
    used("minReplicas", integer, "the lower end of `nodes`; in a cluster the number is fixed"),
    used("maxReplicas", integer, "more than the replicas: no effect, because nothing scales the job"),
    used("maxRestarts", integer, "`restarts.limit`"),
    used("nProcPerNode", integer, "`workers`"),
    ignored("rdzvBackend", text, kRendezvous),
    ignored("rdzvHost", text, kRendezvous),
    ignored("rdzvPort", integer, kRendezvous),
    ignored("rdzvId", text, kRendezvous),
    ignored("rdzvConf", any, kRendezvous),
    ignored("standalone", truth, kRendezvous),
    ignored("metrics", any, "a job of muster is not scaled by metrics while it runs"),
};

const auto& replica_fields() {
  static const std::array fields{
      used("replicas", integer, "`nodes`"),
      used("restartPolicy", text, "`restarts`: Never restarts nothing; ExitCode does not restart on codes 1 to 127"),
      used("template", map, "the pod", pod_template_fields()),
  };
  return fields;
}

using Rows = std::vector<ManifestField>;

// Kept for the life of the program, because tables refer to each other.
Rows roles(std::initializer_list<std::string_view> names) {
  Rows rows;
  for (const std::string_view name : names) rows.push_back(used(name, map, "a group of ranks", replica_fields()));
  return rows;
}

Rows object_of(std::string_view kind, ManifestFields spec) {
  return {
      used("apiVersion", text, "the version of the API"),
      used("kind", text, kind),
      used("metadata", map, "name and labels", object_metadata_fields()),
      used("spec", map, "the job", spec),
      ignored("status", any, "the controller wrote it"),
  };
}

struct KindTable {
  Rows roles;
  Rows spec;
  Rows object;

  KindTable(std::string_view kind, std::string_view field, std::initializer_list<std::string_view> names, Rows more)
      : roles(muster::roles(names)),
        spec(std::move(more)),
        object() {
    spec.push_back(used(field, map, "the groups of ranks", roles));
    spec.push_back(used("runPolicy", map, "limits of the job", kRunPolicy));
    object = object_of(kind, spec);
  }
  KindTable(const KindTable&) = delete;
  KindTable& operator=(const KindTable&) = delete;
};

const KindTable& pytorch() {
  static const KindTable table("PyTorchJob", "pytorchReplicaSpecs", {"Master", "Worker"},
                               {used("nprocPerNode", text, "`workers`: a number, auto, cpu or gpu"),
                                used("elasticPolicy", map, "the range of nodes", kElasticPolicy)});
  return table;
}

const KindTable& tensorflow() {
  static const KindTable table("TFJob", "tfReplicaSpecs", {"Chief", "Master", "PS", "Worker", "Evaluator"},
                               {used("successPolicy", text, "AllWorkers: all workers must succeed"),
                                refused("enableDynamicWorker", truth, "the number of workers is fixed while it runs")});
  return table;
}

const KindTable& xgboost() {
  static const KindTable table("XGBoostJob", "xgbReplicaSpecs", {"Master", "Worker"}, {});
  return table;
}

const KindTable& paddle() {
  static const KindTable table("PaddleJob", "paddleReplicaSpecs", {"Master", "Worker"},
                               {refused("elasticPolicy", any, "use `nodes: MIN..MAX` of a job file")});
  return table;
}

const KindTable& jax() {
  static const KindTable table("JAXJob", "jaxReplicaSpecs", {"Worker"}, {});
  return table;
}

const KindTable& mpi() {
  static const KindTable table(
      "MPIJob", "mpiReplicaSpecs", {"Launcher", "Worker"},
      {used("slotsPerWorker", integer, "`workers`"),
       used("runLauncherAsWorker", truth, "true: the node of the launcher has ranks too"),
       ignored("sshAuthMountPath", text, "muster starts MPI ranks without ssh keys"),
       ignored("launcherCreationPolicy", text, "muster starts ranks when all nodes are ready"),
       ignored("mpiImplementation", text, "muster finds the MPI library of the program"),
       ignored("mainContainer", text, "only the container of the training runs"),
       ignored("cleanPodPolicy", text, "muster ends all ranks of a job when it ends, and its pods with it")});
  return table;
}

}  // namespace

ManifestFields replica_job_fields(std::string_view kind) {
  if (kind == "PyTorchJob") return pytorch().object;
  if (kind == "TFJob") return tensorflow().object;
  if (kind == "XGBoostJob") return xgboost().object;
  if (kind == "PaddleJob") return paddle().object;
  return jax().object;
}

ManifestFields run_policy_fields() { return kRunPolicy; }

ManifestFields mpi_job_fields() { return mpi().object; }

}  // namespace muster
