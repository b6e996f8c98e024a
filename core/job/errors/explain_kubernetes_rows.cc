// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 11> kKubernetesRows = {{
    {"E1601", "no image for the ranks",
     "On Kubernetes, ranks run in a container of your image. The image holds your program and what it needs, but "
     "nothing of muster: muster's program comes from an image of its own. A group can have another image than the "
     "job.",
     "backend: kubernetes", "backend: kubernetes\nkubernetes: {image: \"registry.example/train:7\"}"},
    {"E1602", "a name that is too long for a cluster",
     "The name of a pod is JOB-GROUP-0-INDEX and six more characters; a cluster allows 63 characters. The suffix "
     "that `muster run` adds to the name of a job counts too.",
     "name: imagenet-resnet50-with-augmentation\ngroups: [{name: evaluation-workers, command: [./eval]}]",
     "name: resnet50\ngroups: [{name: eval, command: [./eval]}]"},
    {"E1603", "a group with the name of one of muster's own pods",
     "Besides the pods of its groups, a job in a cluster has pods named `coordinator` and `verdict`. A group cannot "
     "have one of these names.",
     "groups: [{name: coordinator, command: [./lead]}]", "groups: [{name: lead, command: [./lead]}]"},
    {"E1604", "a key that clusters do not support",
     "The job asks for something that other backends offer, but that a cluster does not have or decides itself. "
     "muster refuses the job instead of ignoring the key, so that a job never runs differently from what it says. "
     "The help line says what to write instead. A flag can replace the value in the file, such as --nodes 4 or --set "
     "workdir.sync=false.",
     "nodes: 2..4", "nodes: 4"},
    {"E1605", "not a Kubernetes quantity",
     "Values under `resources` are Kubernetes quantities: a number, directly followed by m (1/1000), by k M G T P E "
     "(powers of 1000) or by Ki Mi Gi Ti Pi Ei (powers of 1024). The number of GPUs is a whole number.",
     "resources: {memory: 16GiB}", "resources: {memory: 16Gi}"},
    {"E1606", "not a valid name in a cluster",
     "Names of objects consist of lower-case letters, digits, - and . only. Keys and values of labels consist of "
     "letters, digits, -, _ and ., with a letter or digit at both ends, and have at most 63 characters; a key can "
     "have a domain and / before it. Images are lower-case up to their tag.",
     "namespace: Research_Team", "namespace: research-team"},
    {"E1607", "an invalid volume",
     "A volume needs a `name` of its own, a `mount` path that nothing else uses, and exactly one source: pvc, "
     "host_path, memory, config or secret.",
     "volumes: [{name: data, mount: data, pvc: datasets, host_path: /mnt}]",
     "volumes: [{name: data, mount: /data, pvc: datasets}]"},
    {"E1608", "numbers of GPUs that contradict each other",
     "The number of GPUs of a pod follows from `workers` and `worker.gpus`, or you set it in `resources`, and `gpus: "
     "auto` divides it among the workers. If you set both, the pod needs at least as many GPUs as its workers.",
     "workers: 8\nworker: {gpus: 1}\nkubernetes: {resources: {nvidia.com/gpu: 4}}", "workers: 8\nworker: {gpus: 1}"},
    {"E1609", "`security` contradicts another key",
     "With `security: {restricted: true}` the pods meet the Pod Security Standard `restricted`: no root user, no "
     "privileges, and nothing of the node.",
     "security: {restricted: true}\nhost_network: true", "security: {restricted: true}"},
    {"E1610", "a patch that changes the job's identity",
     "A patch can change anything in the JobSet except what muster finds the job by: its kind, name and namespace, "
     "and the names of its replicated jobs.",
     "patch: {metadata: {name: other}}", "patch: {metadata: {annotations: {owner: mia}}}"},
    {"E1611", "a job that is too large for a cluster",
     "muster passes the job to its coordinator in an environment variable, which Linux limits to 128 KiB.", "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_kubernetes_rows() { return kKubernetesRows; }

}  // namespace muster
