// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 8> kManifestRows = {{
    {"E1801", "a field that the kind does not have",
     "The manifest has a field that its kind does not have in this version. Kubernetes would reject or drop it. "
     "Compare "
     "the spelling and the indentation with the list in the message.",
     "trainer: {comand: [python, train.py]}", "trainer: {command: [python, train.py]}"},
    {"E1802", "a value that the field cannot have",
     "The value has another type than the field, or it is out of range. Kubernetes wants texts in quotes where YAML "
     "reads a number or a truth value, above all in `env`.",
     "env: [{name: EPOCHS, value: 3}]", "env: [{name: EPOCHS, value: \"3\"}]"},
    {"E1803", "a field that muster does not support there",
     "The field would change what the job does, and muster cannot do that on this backend, so it refuses the manifest "
     "instead of running something else. The message names a way around. docs/reference/kubeflow.md lists every field.",
     "initializer: {dataset: {storageUri: \"hf://org/data\"}}", ""},
    {"E1804", "a kind or version that muster does not read",
     "A manifest is recognized by `apiVersion` and `kind`. muster reads the kinds that describe a training job, and "
     "the versions that docs/reference/kubeflow.md names.",
     "kind: Deployment", "kind: TrainJob"},
    {"E1805", "there is no such runtime",
     "A TrainJob names a TrainingRuntime. muster looks for it beside the job (in the same file or folder), among the "
     "registered runtimes (muster apply -f FILE), and among those that Kubeflow Trainer installs. `muster runtimes "
     "--all` lists them. With --cluster-runtimes, it looks beside the job and then only in the cluster.",
     "runtimeRef: {name: torch-distribted}", "runtimeRef: {name: torch-distributed}"},
    {"E1806", "something is missing in the manifest, or contradicts it",
     "muster needs to know the command of each container, because it does not read images. A command that starts "
     "torchrun or mpirun must ask for as many processes as the manifest.",
     "args: [train.py]", "command: [python, train.py]"},
    {"E1807", "a ConfigMap or Secret is not there",
     "On this machine and on hosts, a variable can take its value from a ConfigMap or Secret only if that is beside "
     "the job, in the same file or folder. In a cluster, the cluster has them.",
     "valueFrom: {secretKeyRef: {name: keys, key: token}}", ""},
    {"E1808", "no job, or several",
     "`muster run` starts one job. A file or folder of manifests may contain runtimes, ConfigMaps and Secrets beside "
     "it, and exactly one job.",
     "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_manifest_rows() { return kManifestRows; }

}  // namespace muster
