// SPDX-License-Identifier: Apache-2.0
// The keys of `kubernetes`. Quantities, names and values of Kubernetes are checked when the objects are made
// (backends/kubernetes/manifest), so that mistakes in them do not stop jobs of other backends.
#include "core/job/file/env_reader.h"
#include "core/job/file/job_keys.h"
#include "core/job/file/kubernetes_reader.h"
#include "core/job/file/list_reader.h"
#include "core/job/file/number_reader.h"

namespace muster {
namespace {

using Text = std::string_view;
using Type = KeyType;
using R = ValueReader;

constexpr uint64_t kMostIds = 2'147'483'647;

// In the order of their enums (kubernetes_spec.h).
constexpr std::array<Text, 4> kPullPolicies = {"auto", "Always", "IfNotPresent", "Never"};
constexpr std::array<Text, 4> kGangs = {"none", "coscheduling", "volcano", "kai"};

constexpr std::array<Key, 9> kVolumeKeys = {{
    {"name", Type::text, "Name of the volume in the pods.", "data", [](R& r) { r.text(r.volume().name); }},
    {"mount", Type::text, "Where it is mounted in the pods, an absolute path.", "/data",
     [](R& r) { r.text(r.volume().mount); }},
    {"sub_path", Type::text, "Mounts only this folder or file of the volume.", "imagenet",
     [](R& r) { r.text(r.volume().sub_path); }},
    {"read_only", Type::truth, "Ranks can only read it.", "true", [](R& r) { r.truth(r.volume().read_only); }},
    {"pvc", Type::text, "The volume is a PersistentVolumeClaim of the namespace.", "datasets",
     [](R& r) { r.text(r.volume().claim); }},
    {"host_path", Type::text, "The volume is a folder of the node.", "/mnt/nvme",
     [](R& r) { r.text(r.volume().host_path); }},
    {"memory", Type::size, "The volume is a folder in memory with at most this size; it counts as memory of the pod.",
     "8GiB", [](R& r) { read_size(r, r.volume().memory_bytes); }},
    {"config", Type::labels, "The volume contains these files: names and texts.", "{settings.ini: \"fast = 1\"}",
     [](R& r) { read_labels(r, r.volume().files); }},
    {"secret", Type::text, "The volume is a Secret of the namespace; each of its keys is a file.", "wandb",
     [](R& r) { r.text(r.volume().secret); }},
}};

constexpr std::array<Key, 6> kSecurityKeys = {{
    {"restricted", Type::truth, "Pods meet the Pod Security Standard `restricted`; the user must not be root.", "true",
     [](R& r) { r.truth(r.kubernetes().security.restricted); }},
    {"privileged", Type::truth, "The container has the rights of root on its node.", "true",
     [](R& r) { r.truth(r.kubernetes().security.privileged); }},
    between(0, kMostIds,
            {"user", Type::count, "User id of the ranks; default: that of the image.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.user); }}),
    between(0, kMostIds,
            {"group", Type::count, "Group id of the ranks; default: that of the image.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.group); }}),
    between(0, kMostIds,
            {"fs_group", Type::count, "Group id that gets access to the volumes.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.fs_group); }}),
    {"capabilities", Type::words, "Linux capabilities that the container gets in addition.", "[IPC_LOCK]",
     [](R& r) { read_words(r, r.kubernetes().security.capabilities); }},
}};

constexpr Text kResourcesDoc =
    "More requests and limits of each pod of ranks, as Kubernetes quantities; they override those of `worker`.";
constexpr Text kTolerationsDoc = "Taints of nodes that the pods tolerate, as Kubernetes writes them.";
constexpr Text kTolerationsExample = "[{key: gpu, operator: Exists}]";

}  // namespace

constexpr std::array<Key, kKubernetesKeyCount> kKubernetesKeys = {{
    {"image", Type::text, "The image in which ranks run.", "\"registry.example/train:7\"",
     [](R& r) { r.text(r.kubernetes().image); }},
    {"muster_image", Type::text, "The image that holds muster; default: muster:VERSION.",
     "\"registry.example/muster:1\"", [](R& r) { r.text(r.kubernetes().muster_image); }},
    one_of(kPullPolicies,
           {"pull_policy", Type::choice, "When a node pulls images; auto: the cluster decides by the tag.",
            "IfNotPresent", [](R& r) { r.choice(r.kubernetes().pull_policy); }}),
    {"pull_secrets", Type::words, "Secrets of the namespace for pulling images.", "[registry]",
     [](R& r) { read_words(r, r.kubernetes().pull_secrets); }},
    {"namespace", Type::text, "Namespace of the job; default: that of kubectl's context.", "research",
     [](R& r) { r.text(r.kubernetes().cluster_namespace); }},
    {"service_account", Type::text, "Service account of the pods; its token is not mounted.", "trainer",
     [](R& r) { r.text(r.kubernetes().service_account); }},
    {"node_selector", Type::labels, "Labels that nodes must have.", "{gpu: h100}",
     [](R& r) { read_labels(r, r.kubernetes().node_selector); }},
    {"tolerations", Type::objects, kTolerationsDoc, kTolerationsExample,
     [](R& r) { read_object(r, r.kubernetes().tolerations); }},
    {"priority_class", Type::text, "PriorityClass of the pods.", "batch-high",
     [](R& r) { r.text(r.kubernetes().priority_class); }},
    {"runtime_class", Type::text, "RuntimeClass of the pods of ranks.", "nvidia",
     [](R& r) { r.text(r.kubernetes().runtime_class); }},
    {"scheduler", Type::text, "Name of the scheduler of the pods.", "scheduler-plugins-scheduler",
     [](R& r) { r.text(r.kubernetes().scheduler); }},
    {"host_network", Type::truth, "Pods of ranks use the network of their node.", "true",
     [](R& r) { r.truth(r.kubernetes().host_network); }},
    {"host_ipc", Type::truth, "Pods of ranks share memory with their node.", "true",
     [](R& r) { r.truth(r.kubernetes().host_ipc); }},
    {"shm", Type::size, "Size of /dev/shm; 0: that of the cluster, usually 64 MiB.", "8GiB",
     [](R& r) { read_size(r, r.kubernetes().shm_bytes); }},
    holding(kVolumeKeys,
            {"volumes", Type::volumes, "Volumes of the pods of ranks.", "[{name: data, mount: /data, pvc: datasets}]",
             [](R& r) { read_volumes(r, r.kubernetes().volumes); }}),
    {"resources", Type::labels, kResourcesDoc, "{rdma/hca: 1}", [](R& r) { read_labels(r, r.kubernetes().resources); }},
    {"gpu_resource", Type::text, "Name of the GPU resource in the cluster.", "amd.com/gpu",
     [](R& r) { r.text(r.kubernetes().gpu_resource); }},
    holding(kSecurityKeys,
            {"security", Type::map, "User of the ranks, and their privileges.", "{user: 1000, fs_group: 1000}"}),
    {"labels", Type::labels, "Labels of the job's objects and pods.", "{team: vision}",
     [](R& r) { read_labels(r, r.kubernetes().labels); }},
    {"annotations", Type::labels, "Annotations of the JobSet and its pods.", "{sidecar.istio.io/inject: \"false\"}",
     [](R& r) { read_labels(r, r.kubernetes().annotations); }},
    {"exclusive_topology", Type::text,
     "A node label: each group gets its own domain of it, without pods of other jobs.", "cloud.example/rack",
     [](R& r) { r.text(r.kubernetes().exclusive_topology); }},
    {"pack", Type::text, "A node label: all pods of ranks run in one domain of it.", "topology.kubernetes.io/zone",
     [](R& r) { r.text(r.kubernetes().pack); }},
    {"spread", Type::text, "A node label: each pod of ranks runs in a different domain of it.",
     "kubernetes.io/hostname", [](R& r) { r.text(r.kubernetes().spread); }},
    {"queue", Type::text, "LocalQueue of Kueue; with `gang` volcano or kai, a queue of that scheduler.", "team-a",
     [](R& r) { r.text(r.kubernetes().queue); }},
    one_of(kGangs, {"gang", Type::choice, "Which scheduler starts all pods or none.", "coscheduling",
                    [](R& r) { r.choice(r.kubernetes().gang); }}),
    {"ttl", Type::duration, "Time after which the cluster deletes the ended JobSet and its pods; default: they stay.",
     "1d", [](R& r) { read_optional_duration(r, r.kubernetes().ttl); }},
    {"suspend", Type::truth, "Creates the JobSet, which starts only when somebody resumes it.", "true",
     [](R& r) { r.truth(r.kubernetes().suspend); }},
    {"deadline", Type::duration, "Time after the start of the pods after which the cluster ends the job; 0: never.",
     "2d", [](R& r) { read_duration(r, r.kubernetes().deadline); }},
    {"patch", Type::object, "A patch for anything else: maps are merged into the JobSet, lists of maps by `name`.",
     "{metadata: {annotations: {a: b}}}", [](R& r) { read_object(r, r.kubernetes().patch); }},
}};

constexpr std::array<Key, kGroupPodKeyCount> kGroupPodKeys = {{
    {"image", Type::text, "The image of this group's ranks.", "\"registry.example/actor:7\"",
     [](R& r) { r.text(r.group().kubernetes.image); }},
    {"node_selector", Type::labels, "Labels that nodes must have; they override those of the job.", "{gpu: l4}",
     [](R& r) { read_labels(r, r.group().kubernetes.node_selector); }},
    {"resources", Type::labels, "Requests and limits of each pod of this group; they override those of the job.",
     "{cpu: 8}", [](R& r) { read_labels(r, r.group().kubernetes.resources); }},
    {"tolerations", Type::objects, "Tolerations of this group, instead of those of the job.", kTolerationsExample,
     [](R& r) { read_object(r, r.group().kubernetes.tolerations); }},
}};

}  // namespace muster
