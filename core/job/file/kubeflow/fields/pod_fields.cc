// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/fields/pod_fields.h"

#include <array>

namespace muster {
namespace {

using enum FieldType;

constexpr std::string_view kPlacesPods = "it chooses nodes of a cluster";
constexpr std::string_view kOfPods = "it is about pods";
constexpr std::string_view kOfServer = "the API server sets it";
constexpr std::string_view kOfProbes = "muster watches its ranks itself (key `hangs`)";
constexpr std::string_view kOfTerminals = "for a terminal, use --tty or --stdin";

constexpr std::array kMetadata{
    used("name", text, "`name` of the job"),
    used("generateName", text, "the start of the job's name"),
    used_in_cluster("namespace", text, "`kubernetes.namespace`; on hosts there are no namespaces"),
    used("labels", text_map, "`labels`, and labels of the JobSet; that of Kueue is `kubernetes.queue` too"),
    used_in_cluster("annotations", text_map, "annotations of the JobSet"),
    ignored("creationTimestamp", any, kOfServer),
    ignored("uid", any, kOfServer),
    ignored("resourceVersion", any, kOfServer),
    ignored("generation", any, kOfServer),
    ignored("selfLink", any, kOfServer),
    ignored("managedFields", any, kOfServer),
    ignored("deletionTimestamp", any, kOfServer),
    ignored("deletionGracePeriodSeconds", any, kOfServer),
    ignored("ownerReferences", any, "no other object owns a job of muster"),
    ignored("finalizers", any, "no controller has to finish this object"),
};

constexpr std::array kTemplateMetadata{
    passed("labels", text_map, "labels of the pods"),
    passed("annotations", text_map, "annotations of the pods"),
    ignored("name", text, "the cluster names pods"),
    ignored("generateName", text, "the cluster names pods"),
    ignored("namespace", text, "pods are in the namespace of the job"),
    ignored("creationTimestamp", any, kOfServer),
    ignored("finalizers", any, kOfPods),
};

constexpr std::array kKeyRef{
    used("name", text, "the ConfigMap or Secret; on hosts it is read from the manifests beside the job"),
    used("key", text, "the key in it"),
    used("optional", truth, "true: without a value the variable stays unset"),
};
constexpr std::array kFieldRef{
    used("fieldPath", text, "one of [these paths](kubeflow-values.md#fields-of-a-pod)"),
    ignored("apiVersion", text, "there is one version"),
};
constexpr std::array kValueFrom{
    used("configMapKeyRef", map, "the value in the ConfigMap", kKeyRef),
    used("secretKeyRef", map, "the value in the Secret; in a cluster the pod reads it", kKeyRef),
    used("fieldRef", map, "the value of the field", kFieldRef),
    ManifestField{"resourceFieldRef", any, FieldFate::refused, FieldFate::passed, "set the variable to a value"},
    refused("fileKeyRef", any, "set the variable to a value"),
};
constexpr std::array kVariable{
    used("name", text, "name of the variable"),
    used("value", text, "`env`; $(NAME) is replaced as Kubernetes does it"),
    used("valueFrom", map, "the value is taken from its source when the job is submitted", kValueFrom),
};
constexpr std::array kSourceRef{
    used("name", text, "the ConfigMap or Secret"),
    used("optional", truth, "true: it may be missing"),
};
constexpr std::array kEnvFrom{
    used("prefix", text, "put before each name"),
    used("configMapRef", map, "one variable for each key", kSourceRef),
    used("secretRef", map, "one variable for each key; in a cluster the pod reads them", kSourceRef),
};

constexpr std::array kResources{
    used("limits", text_map,
         "on hosts memory, GPUs and whole CPUs of `worker`; in a cluster all resources of the pod, "
         "`kubernetes.gpu_resource`"),
    used("requests", text_map,
         "on hosts GPUs and whole CPUs of `worker`, not memory; in a cluster all resources of the pod, "
         "`kubernetes.gpu_resource`"),
    passed("claims", any, "dynamic resources exist only in a cluster"),
};

constexpr std::array kMount{
    used("name", text, "the volume"),
    used("mountPath", text, "where the pod sees it"),
    used_in_cluster("subPath", text, "the part of the volume"),
    used_in_cluster("readOnly", truth, "whether ranks may write"),
    used_in_cluster("mountPropagation", text, kOfPods),
    used_in_cluster("subPathExpr", text, "a part of the volume for each pod; refused with --in-image"),
    used_in_cluster("recursiveReadOnly", text, kOfPods),
};

constexpr std::array kContainer{
    used("name", text, "the container of the training; a second one is refused"),
    used("image", text, "`kubernetes.image`; on hosts the command runs in the host's own environment"),
    used("command", texts, "`command`"),
    used("args", texts, "the end of `command`"),
    used_in_cluster("workingDir", text,
                    "`workdir`, of all pods; on hosts the command starts in the folder of the manifest"),
    used("env", list, "`env`", kVariable),
    used("envFrom", list, "`env`", kEnvFrom),
    used("resources", map, "`worker`", kResources),
    used_in_cluster("imagePullPolicy", text, "`kubernetes.pull_policy`"),
    used("volumeMounts", list, "volumes of the pod; on hosts the program sees the host's own folders", kMount),
    passed("volumeDevices", any, kOfPods),
    passed("securityContext", any, "ranks on hosts have your own user id"),
    ignored("ports", any, "ranks reach each other without it"),
    ignored("livenessProbe", any, kOfProbes),
    ignored("readinessProbe", any, kOfProbes),
    ignored("startupProbe", any, kOfProbes),
    refused("lifecycle", any, "put the commands into the script that `command` starts"),
    ignored("stdin", truth, kOfTerminals),
    ignored("stdinOnce", truth, kOfTerminals),
    ignored("tty", truth, kOfTerminals),
    ignored("terminationMessagePath", text, "muster reads the output of ranks"),
    ignored("terminationMessagePolicy", text, "muster reads the output of ranks"),
    passed("resizePolicy", any, kOfPods),
    refused("restartPolicy", text, "use `restartPolicy` of the job"),
    refused("restartPolicyRules", any, "use `restartPolicy` of the job"),
};

// The sources of a volume are passed on as they are written.
constexpr std::string_view kOfMounts = "on hosts the program sees the host's own folder; with --in-image it is mounted";
constexpr std::array kEmptyDir{
    used_in_cluster("medium", text, "Memory: at /dev/shm it becomes `kubernetes.shm`"),
    used_in_cluster("sizeLimit", quantity, "largest size"),
};
constexpr std::array kVolume{
    used("name", text, "name of the volume"),
    used_in_cluster("emptyDir", map, "a folder that ends with the pod", kEmptyDir),
    passed("persistentVolumeClaim", any, kOfMounts),
    passed("configMap", any, kOfMounts),
    passed("secret", any, kOfMounts),
    passed("hostPath", any, kOfMounts),
    passed("nfs", any, "on hosts the program sees the host's own folder"),
    passed("projected", any, kOfPods),
    passed("downwardAPI", any, kOfPods),
    passed("csi", any, kOfPods),
    passed("ephemeral", any, kOfPods),
    passed("image", any, kOfPods),
    passed("awsElasticBlockStore", any, kOfPods),
    passed("azureDisk", any, kOfPods),
    passed("azureFile", any, kOfPods),
    passed("cephfs", any, kOfPods),
    passed("cinder", any, kOfPods),
    passed("fc", any, kOfPods),
    passed("flexVolume", any, kOfPods),
    passed("flocker", any, kOfPods),
    passed("gcePersistentDisk", any, kOfPods),
    passed("gitRepo", any, kOfPods),
    passed("glusterfs", any, kOfPods),
    passed("iscsi", any, kOfPods),
    passed("photonPersistentDisk", any, kOfPods),
    passed("portworxVolume", any, kOfPods),
    passed("quobyte", any, kOfPods),
    passed("rbd", any, kOfPods),
    passed("scaleIO", any, kOfPods),
    passed("storageos", any, kOfPods),
    passed("vsphereVolume", any, kOfPods),
};

constexpr std::array kPod{
    used("containers", list, "the container of the training", kContainer),
    ManifestField{
        "initContainers", any, FieldFate::refused, FieldFate::passed,
        "run its command before the job; or remove it, convert the manifest (muster convert), and add the command as "
        "`setup`"},
    refused("ephemeralContainers", any, "use muster exec"),
    used("restartPolicy", text, "how often ranks restart is a setting of the job"),
    used("terminationGracePeriodSeconds", integer, "`timeouts.stop`"),
    used("volumes", list, "volumes of the pod", kVolume),
    used_in_cluster("nodeSelector", text_map, "`kubernetes.node_selector`; on hosts use `label`"),
    used_in_cluster("tolerations", any, "`kubernetes.tolerations`"),
    used_in_cluster("serviceAccountName", text, "`kubernetes.service_account`"),
    used_in_cluster("serviceAccount", text, "`kubernetes.service_account`"),
    used_in_cluster("priorityClassName", text, "`kubernetes.priority_class`; on hosts use `priority`"),
    used_in_cluster("runtimeClassName", text, "`kubernetes.runtime_class`"),
    used_in_cluster("schedulerName", text, "`kubernetes.scheduler`"),
    used_in_cluster("hostNetwork", truth, "`kubernetes.host_network`; on hosts ranks have the host's network"),
    used_in_cluster("hostIPC", truth, "`kubernetes.host_ipc`; on hosts ranks share the host's memory"),
    used_in_cluster("imagePullSecrets", any, "`kubernetes.pull_secrets`"),
    refused("activeDeadlineSeconds", integer, "use the deadline of the job"),
    passed("affinity", any, kPlacesPods),
    passed("topologySpreadConstraints", any, kPlacesPods),
    passed("nodeName", text, kPlacesPods),
    passed("schedulingGates", any, kPlacesPods),
    passed("schedulingGroup", any, kPlacesPods),
    passed("workloadRef", any, kPlacesPods),
    passed("resourceClaims", any, "dynamic resources exist only in a cluster"),
    passed("resources", any, "resources of the whole pod exist only in a cluster"),
    passed("securityContext", any, "ranks on hosts have your own user id"),
    passed("automountServiceAccountToken", truth, kOfPods),
    passed("dnsConfig", any, "hosts use their own name servers"),
    passed("dnsPolicy", text, "hosts use their own name servers"),
    passed("hostAliases", any, "hosts use their own name servers"),
    passed("enableServiceLinks", truth, kOfPods),
    passed("hostPID", truth, kOfPods),
    passed("hostUsers", truth, kOfPods),
    passed("os", any, kOfPods),
    passed("overhead", any, kOfPods),
    passed("preemptionPolicy", text, kOfPods),
    passed("priority", integer, kOfPods),
    passed("setHostnameAsFQDN", truth, kOfPods),
    passed("shareProcessNamespace", truth, kOfPods),
    ignored("readinessGates", any, kOfProbes),
    ignored("hostname", text, "ranks get addresses from muster"),
    ignored("hostnameOverride", text, "ranks get addresses from muster"),
    ignored("subdomain", text, "ranks get addresses from muster"),
};

constexpr std::array kPodTemplate{
    used("metadata", map, "labels and annotations of the pods", kTemplateMetadata),
    used("spec", map, "the pod", kPod),
};

constexpr std::array kExitCodes{
    used("containerName", text, "the container of the training"),
    used("operator", text, "In; NotIn is refused"),
    used("values", any, "the exit codes"),
};
constexpr std::array kPodConditions{
    used("type", text, "DisruptionTarget: the rank is lost; others are refused"),
    ignored("status", text, "muster looks for conditions that are true"),
};
constexpr std::array kPodFailureRules{
    used("action", text,
         "FailJob: `restarts.never_on`; Ignore: `restarts.always_on`; Count: nothing; FailIndex is refused"),
    used("onExitCodes", map, "exit codes of a rank", kExitCodes),
    used("onPodConditions", list, "conditions of a pod", kPodConditions),
};
constexpr std::array kPodFailurePolicy{used("rules", list, "which failures restart the ranks", kPodFailureRules)};

constexpr std::array kJob{
    used("parallelism", integer, "`nodes`"),
    used("completions", integer, "must be the same as parallelism"),
    used("completionMode", text, "Indexed: each pod learns its index"),
    used("backoffLimit", integer, "`restarts.limit`"),
    used("activeDeadlineSeconds", integer, "`timeouts.run`"),
    used_in_cluster("ttlSecondsAfterFinished", integer, "`kubernetes.ttl`; on hosts: muster rm --older"),
    used("suspend", truth, "`hold`, in a cluster `kubernetes.suspend`"),
    used("template", map, "the pod", kPodTemplate),
    refused("backoffLimitPerIndex", integer, "all ranks restart together; use `backoffLimit`"),
    refused("maxFailedIndexes", integer, "a job fails with its first rank"),
    used("podFailurePolicy", map, "`restarts.never_on` and `restarts.always_on`", kPodFailurePolicy),
    refused("successPolicy", any, "use `success` of a job file"),
    refused("selector", any, "the cluster selects the pods"),
    refused("manualSelector", truth, "the cluster selects the pods"),
    ignored("podReplacementPolicy", text, "muster waits until a pod has ended before it replaces it"),
    used("managedBy", text, "refused if another controller would run the job"),
};

}  // namespace

ManifestFields object_metadata_fields() { return kMetadata; }
ManifestFields template_metadata_fields() { return kTemplateMetadata; }
ManifestFields container_fields() { return kContainer; }
ManifestFields pod_fields() { return kPod; }
ManifestFields pod_template_fields() { return kPodTemplate; }
ManifestFields resource_fields() { return kResources; }
ManifestFields variable_fields() { return kVariable; }
ManifestFields job_fields() { return kJob; }

}  // namespace muster
