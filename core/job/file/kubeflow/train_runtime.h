// SPDX-License-Identifier: Apache-2.0
// The runtime of a TrainJob, and the job laid over it. Private to core/job/file/kubeflow.
#pragma once

#include <optional>

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// The runtime that `spec.runtimeRef` names: beside the job, then in the cluster (ManifestPlace::cluster_runtimes), else
// registered, else built in. nullopt after reporting E1805.
std::optional<YamlNode> find_runtime(Reading& reading, const YamlNode& train_job);

// The replicated job of the runtime that trains: with the label of Trainer, else the one named `node`, else the only one.
YamlNode* training_job(YamlNode& runtime);
// The one with this name; null: none.
YamlNode* replicated_job(YamlNode& runtime, std::string_view name);

// Lays spec.trainer and spec.runtimePatches of the job over the runtime, as Trainer does it.
void lay_job_over(Reading& reading, YamlNode& runtime, const YamlNode& train_job);

}  // namespace muster
