// SPDX-License-Identifier: Apache-2.0
// The TrainingRuntimes and ClusterTrainingRuntimes of a cluster that has Kubeflow Trainer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/cluster/kubectl.h"
#include "core/base/result.h"

namespace muster {

struct TrainingRuntimeFacts {
  std::string kind;  // kNamespacedRuntime or kClusterRuntime (core/job/file/kubeflow/manifest.h)
  std::string name;
  std::string space;      // of a TrainingRuntime; empty: it is for all namespaces
  std::string framework;  // Trainer's label: torch, deepspeed, …; may be empty
  bool operator==(const TrainingRuntimeFacts&) const = default;
};

// Reads a list as kubectl prints it. Pure. data_loss: it is no JSON object.
Result<std::vector<TrainingRuntimeFacts>> read_training_runtimes(std::string_view json);

// Those of one kind, by name. failed_precondition: the cluster does not have Trainer.
Result<std::vector<TrainingRuntimeFacts>> list_training_runtimes(const KubectlAccess& access, const std::string& kind);

// The runtime as YAML; nullopt: there is none. `name` must be is_runtime_name().
Result<std::optional<std::string>> training_runtime_text(const KubectlAccess& access, const std::string& kind,
                                                         const std::string& name);

}  // namespace muster
