#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 11> kKubernetesRows = {{
    {"E1601", "no image for the ranks",
     "On Kubernetes ranks run in a container of your image, which holds your program and what it needs. Nothing of "
     "muster has to be in it: its program comes from an image of its own. A group may name another image than the job.",
     "backend: kubernetes", "backend: kubernetes\nkubernetes: {image: \"registry.example/train:7\"}"},
    {"E1602", "a name that is too long for a cluster",
     "A pod is called JOB-GROUP-0-INDEX and six characters more, and a cluster takes 63. What `muster run` adds to a "
     "job's name counts.",
     "name: imagenet-resnet50-with-augmentation\ngroups: [{name: evaluation-workers, command: [./eval]}]",
     "name: resnet50\ngroups: [{name: eval, command: [./eval]}]"},
    {"E1603", "a group that is called like pods of muster's own",
     "Beside its groups a job has pods called `coordinator` and `verdict` in a cluster.",
     "groups: [{name: coordinator, command: [./lead]}]", "groups: [{name: lead, command: [./lead]}]"},
    {"E1604", "what Kubernetes does not have",
     "The job asks for something that is there on other backends, and of which a cluster knows nothing, or decides "
     "itself. It is refused instead of left out, so that a job never runs otherwise than it says. The help line says "
     "what to write instead; a flag may do it, such as --nodes 4 or --set workdir.sync=false.",
     "nodes: 2..4", "nodes: 4"},
    {"E1605", "not a quantity",
     "Under `resources` Kubernetes' own quantities stand: a number, with m (1/1000), k M G T P E (1000) or Ki Mi Gi Ti "
     "Pi Ei (1024) right behind it. GPUs are counted whole.",
     "resources: {memory: 16GiB}", "resources: {memory: 16Gi}"},
    {"E1606", "not a name in a cluster",
     "Names of objects have lower-case letters, digits, - and .; keys and values of labels have letters, digits, -, _ "
     "and . with a letter or digit at both ends, 63 at most, and a key may have a domain and / before it. Images are "
     "lower-case up to their tag.",
     "namespace: Research_Team", "namespace: research-team"},
    {"E1607", "a volume that cannot be made",
     "A volume has a `name` of its own, a `mount` that nothing else stands at, and says in one way where it comes "
     "from: pvc, host_path, memory, config or secret.",
     "volumes: [{name: data, mount: data, pvc: datasets, host_path: /mnt}]",
     "volumes: [{name: data, mount: /data, pvc: datasets}]"},
    {"E1608", "GPUs that are counted twice",
     "How many GPUs a pod has follows from `workers` and `worker.gpus`, or is said by `resources`; `auto` then shares "
     "those out. Said in both ways, the pod needs at least what its workers do.",
     "workers: 8\nworker: {gpus: 1}\nkubernetes: {resources: {nvidia.com/gpu: 4}}", "workers: 8\nworker: {gpus: 1}"},
    {"E1609", "security that contradicts itself",
     "`security: {restricted: true}` makes pods that the Pod Security Standard `restricted` lets in: no root, no "
     "privileges, nothing of the node.",
     "security: {restricted: true}\nhost_network: true", "security: {restricted: true}"},
    {"E1610", "a patch of what muster goes by",
     "A patch may change anything of the JobSet but by what the job is found again: its kind, name and namespace, and "
     "the names of its replicated jobs.",
     "patch: {metadata: {name: other}}", "patch: {metadata: {annotations: {owner: mia}}}"},
    {"E1611", "too large for a cluster",
     "The job travels to its coordinator in a variable, which Linux limits to 128 KiB.", "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_kubernetes_rows() { return kKubernetesRows; }

}  // namespace muster
