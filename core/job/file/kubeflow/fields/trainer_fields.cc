// SPDX-License-Identifier: Apache-2.0
// trainer.kubeflow.org/v1alpha1, with fields that older versions of it had.
#include <array>

#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/fields/pod_fields.h"

namespace muster {
namespace {

using enum FieldType;

constexpr std::string_view kNoInitializer =
    "fetch the data before the job, for example with a command in `setup` of a job file or, in a cluster, with an init "
    "container of the runtime; then leave `initializer` out";
constexpr std::string_view kPatches = "use runtimePatches of a newer version, or change the TrainingRuntime";

constexpr std::array kRuntimeRef{
    used("name", text, "a runtime beside the job, registered with muster apply, or built in"),
    used("kind", text,
         "TrainingRuntime or ClusterTrainingRuntime; muster keeps registered ones of both kinds together"),
    used("apiGroup", text, "must be trainer.kubeflow.org"),
};

// The tables of env and resources belong to pod_fields.cc, so this one is made when it is first used.
const auto& trainer_fields() {
  static const std::array fields{
      used("image", text, "`kubernetes.image`; on hosts the command runs in the host's own environment"),
      used("command", texts, "`command`"),
      used("args", texts, "the end of `command`"),
      used("env", list, "`env`, over that of the runtime", variable_fields()),
      used("numNodes", integer, "`nodes`"),
      used("numProcPerNode", any, "`workers`"),
      used("resourcesPerNode", map, "`worker`, key by key over those of the runtime", resource_fields()),
  };
  return fields;
}

constexpr std::array kInitializer{
    refused("dataset", any, kNoInitializer),
    refused("model", any, kNoInitializer),
};

constexpr std::array kPatchedContainer{
    used("name", text, "the container"),
    used("env", any, "`env`, over that of the runtime"),
    used_in_cluster("volumeMounts", any, "mounts of the pod"),
    passed("securityContext", any, "ranks on hosts have your own user id"),
    passed("resources", any, "dynamic resources exist only in a cluster"),
};
constexpr std::array kPatchedPod{
    used("containers", list, "containers of the pod", kPatchedContainer),
    ManifestField{"initContainers", any, FieldFate::refused, FieldFate::passed,
                  "run its command before the job, or write it as `setup` in a job file"},
    used_in_cluster("nodeSelector", text_map, "`kubernetes.node_selector`"),
    used_in_cluster("tolerations", any, "`kubernetes.tolerations`"),
    passed("affinity", any, "it chooses nodes of a cluster"),
    passed("schedulingGates", any, "it is about pods"),
    passed("resourceClaims", any, "dynamic resources exist only in a cluster"),
    used_in_cluster("serviceAccountName", text, "`kubernetes.service_account`"),
    used_in_cluster("volumes", any, "volumes of the pod"),
    used_in_cluster("imagePullSecrets", any, "`kubernetes.pull_secrets`"),
    passed("securityContext", any, "ranks on hosts have your own user id"),
    used("terminationGracePeriodSeconds", integer, "`timeouts.stop`"),
};
constexpr std::array kPatchedMetadata{
    used_in_cluster("labels", text_map, "labels"),
    used_in_cluster("annotations", text_map, "annotations"),
    ignored("name", text, "a patch renames nothing"),
    ignored("namespace", text, "a patch renames nothing"),
    ignored("finalizers", texts, "it is about objects of the cluster"),
};
constexpr std::array kPatchedTemplate{
    used("metadata", map, "of the pods", kPatchedMetadata),
    used("spec", map, "the pod", kPatchedPod),
};
constexpr std::array kPatchedJobSpec{used("template", map, "the pod template", kPatchedTemplate)};
constexpr std::array kPatchedJobTemplate{
    used("metadata", map, "of the Jobs", kPatchedMetadata),
    used("spec", map, "the Job", kPatchedJobSpec),
};
constexpr std::array kPatchedJob{
    used("name", text, "a replicated job of the runtime"),
    used("template", map, "its Job", kPatchedJobTemplate),
};
constexpr std::array kPatchedSet{used("replicatedJobs", list, "jobs of the runtime", kPatchedJob)};
constexpr std::array kPatchedSetTemplate{
    used("metadata", map, "of the JobSet", kPatchedMetadata),
    used("spec", map, "the JobSet", kPatchedSet),
};
constexpr std::array kPatchedRuntime{used("template", map, "the JobSet", kPatchedSetTemplate)};
constexpr std::array kPatch{
    used("manager", text, "whose patch it is"),
    used("trainingRuntimeSpec", map, "laid over the runtime", kPatchedRuntime),
    ignored("time", any, "the API server sets it"),
};

const auto& train_job_spec() {
  static const std::array fields{
      used("runtimeRef", map, "the runtime", kRuntimeRef),
      used("trainer", map, "the command and its size", trainer_fields()),
      used("initializer", map, "only without a dataset and a model", kInitializer),
      used("runtimePatches", list, "laid over the runtime in their order", kPatch),
      refused("podTemplateOverrides", any, kPatches),
      refused("podSpecOverrides", any, kPatches),
      used("labels", text_map, "`labels`, and labels of the JobSet"),
      used_in_cluster("annotations", text_map, "annotations of the JobSet"),
      used("suspend", truth, "`hold`, in a cluster `kubernetes.suspend`"),
      used("activeDeadlineSeconds", integer, "`timeouts.run`"),
      used("managedBy", text, "refused if another controller would run the job"),
  };
  return fields;
}

constexpr std::array kTorchPolicy{
    used("numProcPerNode", any, "`workers`; newer versions have it in spec.trainer"),
    refused("elasticPolicy", any, "use `nodes: MIN..MAX` of a job file"),
    ignored("envInjection", any, "only the container of the training runs"),
};
constexpr std::array kMpiPolicy{
    used("numProcPerNode", integer, "`workers`; with 1, which is its default, one per GPU"),
    ignored("mpiImplementation", text, "muster finds the MPI library of the program"),
    ignored("sshAuthMountPath", text, "muster starts MPI ranks without ssh keys"),
    used("runLauncherAsNode", truth, "whether the launcher's node has ranks"),
};
constexpr std::array kMlPolicy{
    used("numNodes", integer, "`nodes`"),
    used("torch", map, "`framework: torch`", kTorchPolicy),
    used("mpi", map, "`framework: mpi`", kMpiPolicy),
    used("jax", any, "`framework: jax`"),
    used("xgboost", any, "`framework: xgboost` and `store: program`: rank 0 starts the tracker itself"),
    refused("flux", any, "remove mlPolicy.flux, and start the program itself in `command`"),
};
constexpr std::array kCoscheduling{
    ignored("scheduleTimeoutSeconds", integer, "the PodGroup of muster has no timeout"),
};
constexpr std::array kVolcano{
    ignored("networkTopology", any, "the PodGroup of muster has none; use `kubernetes.pack`"),
};
constexpr std::array kPodGroupPolicy{
    used_in_cluster("coscheduling", map, "`kubernetes.gang`; on hosts muster starts all ranks or none", kCoscheduling),
    used_in_cluster("volcano", map,
                    "`kubernetes.gang`, and the annotation scheduling.volcano.sh/queue-name is `kubernetes.queue`; on "
                    "hosts muster starts all ranks or none",
                    kVolcano),
};

const auto& runtime_template() {
  static const std::array fields{
      used_in_cluster("metadata", map, "labels and annotations of the JobSet", template_metadata_fields()),
      used("spec", map, "the JobSet", find_field(job_set_fields(), "spec")->children),
  };
  return fields;
}

const auto& runtime_spec() {
  static const std::array fields{
      used("mlPolicy", map, "framework, nodes and workers", kMlPolicy),
      used("podGroupPolicy", map, "who starts all pods or none", kPodGroupPolicy),
      used("template", map, "the JobSet", runtime_template()),
  };
  return fields;
}

}  // namespace

ManifestFields train_job_fields() {
  static const std::array fields{
      used("apiVersion", text, "trainer.kubeflow.org/v1alpha1"),
      used("kind", text, "TrainJob"),
      used("metadata", map, "name and labels", object_metadata_fields()),
      used("spec", map, "the job", train_job_spec()),
      ignored("status", any, "the controller wrote it"),
  };
  return fields;
}

ManifestFields training_runtime_fields() {
  static const std::array fields{
      used("apiVersion", text, "trainer.kubeflow.org/v1alpha1"),
      used("kind", text, "TrainingRuntime or ClusterTrainingRuntime"),
      used("metadata", map, "name and labels", object_metadata_fields()),
      used("spec", map, "the runtime", runtime_spec()),
  };
  return fields;
}

}  // namespace muster
