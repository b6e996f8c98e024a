// The keys of `kubernetes`. Quantities, names and Kubernetes' own words are judged when objects are made of them
// (backends/kubernetes/manifest): a job that runs elsewhere is not held up by them.
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
    {"name", Type::text, "Its name in the pods.", "data", [](R& r) { r.text(r.volume().name); }},
    {"mount", Type::text, "Where it stands in the pods: an absolute path.", "/data",
     [](R& r) { r.text(r.volume().mount); }},
    {"sub_path", Type::text, "A folder or file in it, instead of all of it.", "imagenet",
     [](R& r) { r.text(r.volume().sub_path); }},
    {"read_only", Type::truth, "Whether ranks may only read it.", "true", [](R& r) { r.truth(r.volume().read_only); }},
    {"pvc", Type::text, "A PersistentVolumeClaim of the namespace.", "datasets",
     [](R& r) { r.text(r.volume().claim); }},
    {"host_path", Type::text, "A folder of the node.", "/mnt/nvme", [](R& r) { r.text(r.volume().host_path); }},
    {"memory", Type::size, "A folder in memory of at most this size; it counts as memory of the pod.", "8GiB",
     [](R& r) { read_size(r, r.volume().memory_bytes); }},
    {"config", Type::labels, "Files with their texts, written here.", "{settings.ini: \"fast = 1\"}",
     [](R& r) { read_labels(r, r.volume().files); }},
    {"secret", Type::text, "A Secret of the namespace, each of its keys a file.", "wandb",
     [](R& r) { r.text(r.volume().secret); }},
}};

constexpr std::array<Key, 6> kSecurityKeys = {{
    {"restricted", Type::truth,
     "What the Pod Security Standard `restricted` asks for; the user has to be another than "
     "root.",
     "true", [](R& r) { r.truth(r.kubernetes().security.restricted); }},
    {"privileged", Type::truth, "The container may do on its node what root may.", "true",
     [](R& r) { r.truth(r.kubernetes().security.privileged); }},
    between(0, kMostIds,
            {"user", Type::count, "User id of the ranks, instead of the image's.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.user); }}),
    between(0, kMostIds,
            {"group", Type::count, "Group id of the ranks, instead of the image's.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.group); }}),
    between(0, kMostIds,
            {"fs_group", Type::count, "Group id to which volumes are given.", "1000",
             [](R& r) { read_rank(r, r.kubernetes().security.fs_group); }}),
    {"capabilities", Type::words, "What the container may do beyond the usual.", "[IPC_LOCK]",
     [](R& r) { read_words(r, r.kubernetes().security.capabilities); }},
}};

constexpr Text kResourcesDoc =
    "What each pod of ranks asks for and is held to, beside `worker`: Kubernetes' quantities.";
constexpr Text kTolerationsDoc = "Taints of nodes that do not matter, in Kubernetes' words.";
constexpr Text kTolerationsExample = "[{key: gpu, operator: Exists}]";

}  // namespace

constexpr std::array<Key, kKubernetesKeyCount> kKubernetesKeys = {{
    {"image", Type::text, "The image in which ranks run.", "\"registry.example/train:7\"",
     [](R& r) { r.text(r.kubernetes().image); }},
    {"muster_image", Type::text, "The image that holds muster itself; without it muster:VERSION.",
     "\"registry.example/muster:1\"", [](R& r) { r.text(r.kubernetes().muster_image); }},
    one_of(kPullPolicies,
           {"pull_policy", Type::choice, "When a node pulls images; auto: as the cluster does by the tag.",
            "IfNotPresent", [](R& r) { r.choice(r.kubernetes().pull_policy); }}),
    {"pull_secrets", Type::words, "Secrets of the namespace with which images are pulled.", "[registry]",
     [](R& r) { read_words(r, r.kubernetes().pull_secrets); }},
    {"namespace", Type::text, "Namespace of the job; without it that of kubectl's context.", "research",
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
    {"scheduler", Type::text, "Scheduler of the pods, by name.", "scheduler-plugins-scheduler",
     [](R& r) { r.text(r.kubernetes().scheduler); }},
    {"host_network", Type::truth, "Pods of ranks use the network of their node.", "true",
     [](R& r) { r.truth(r.kubernetes().host_network); }},
    {"host_ipc", Type::truth, "Pods of ranks share memory with their node.", "true",
     [](R& r) { r.truth(r.kubernetes().host_ipc); }},
    {"shm", Type::size, "Size of /dev/shm; 0 leaves it to the cluster (64 MiB mostly).", "8GiB",
     [](R& r) { read_size(r, r.kubernetes().shm_bytes); }},
    holding(kVolumeKeys,
            {"volumes", Type::volumes, "Folders of the pods that their image does not have.",
             "[{name: data, mount: /data, pvc: datasets}]", [](R& r) { read_volumes(r, r.kubernetes().volumes); }}),
    {"resources", Type::labels, kResourcesDoc, "{rdma/hca: 1}", [](R& r) { read_labels(r, r.kubernetes().resources); }},
    {"gpu_resource", Type::text, "What the cluster calls a GPU.", "amd.com/gpu",
     [](R& r) { r.text(r.kubernetes().gpu_resource); }},
    holding(kSecurityKeys,
            {"security", Type::map, "As whom ranks run, and what they may do.", "{user: 1000, fs_group: 1000}"}),
    {"labels", Type::labels, "Labels of the job's objects and pods.", "{team: vision}",
     [](R& r) { read_labels(r, r.kubernetes().labels); }},
    {"annotations", Type::labels, "Annotations of the JobSet and its pods.", "{sidecar.istio.io/inject: \"false\"}",
     [](R& r) { read_labels(r, r.kubernetes().annotations); }},
    {"exclusive_topology", Type::text, "A node label: each group gets a domain of it that no other job's pods are in.",
     "cloud.example/rack", [](R& r) { r.text(r.kubernetes().exclusive_topology); }},
    {"pack", Type::text, "A node label: all pods of ranks go into one domain of it.", "topology.kubernetes.io/zone",
     [](R& r) { r.text(r.kubernetes().pack); }},
    {"spread", Type::text, "A node label: each pod of ranks goes into another domain of it.", "kubernetes.io/hostname",
     [](R& r) { r.text(r.kubernetes().spread); }},
    {"queue", Type::text, "LocalQueue of Kueue; with `gang` volcano or kai, a queue of that.", "team-a",
     [](R& r) { r.text(r.kubernetes().queue); }},
    one_of(kGangs, {"gang", Type::choice, "Who starts all pods or none.", "coscheduling",
                    [](R& r) { r.choice(r.kubernetes().gang); }}),
    {"ttl", Type::duration, "So long after its end the JobSet and its pods go; without it they stay.", "1d",
     [](R& r) { read_optional_duration(r, r.kubernetes().ttl); }},
    {"suspend", Type::truth, "The JobSet is made and does not start before somebody resumes it.", "true",
     [](R& r) { r.truth(r.kubernetes().suspend); }},
    {"deadline", Type::duration, "The cluster ends the job so long after it started its pods; 0 is never.", "2d",
     [](R& r) { read_duration(r, r.kubernetes().deadline); }},
    {"patch", Type::object, "Anything else: merged over the JobSet, lists of maps by `name`.",
     "{metadata: {annotations: {a: b}}}", [](R& r) { read_object(r, r.kubernetes().patch); }},
}};

constexpr std::array<Key, kGroupPodKeyCount> kGroupPodKeys = {{
    {"image", Type::text, "The image of this group's ranks.", "\"registry.example/actor:7\"",
     [](R& r) { r.text(r.group().kubernetes.image); }},
    {"node_selector", Type::labels, "Labels that nodes must have, over the job's.", "{gpu: l4}",
     [](R& r) { read_labels(r, r.group().kubernetes.node_selector); }},
    {"resources", Type::labels, "What each pod of this group asks for, over the job's.", "{cpu: 8}",
     [](R& r) { read_labels(r, r.group().kubernetes.resources); }},
    {"tolerations", Type::objects, "Instead of the job's.", kTolerationsExample,
     [](R& r) { read_object(r, r.group().kubernetes.tolerations); }},
}};

}  // namespace muster
