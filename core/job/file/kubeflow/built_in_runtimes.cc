// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/built_in_runtimes.h"

#include <algorithm>
#include <map>

namespace muster {
namespace {

constexpr std::string_view kHead = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: )";

// The launcher has the image and the command of the job. Its node has ranks too.
constexpr std::string_view kLauncher = R"(
    mpi: {runLauncherAsNode: true}
  template:
    spec:
      replicatedJobs:
        - name: launcher
          template:
            metadata:
              labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
            spec:
              template:
                spec:
                  containers:
                    - name: node)";

constexpr std::string_view kNode = R"(  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
            spec:
              template:
                spec:
                  containers:
                    - name: node)";

constexpr std::string_view kWorkers = R"(
        - name: node
          template:
            spec:
              template:
                spec:
                  containers:
                    - name: node)";

}  // namespace

const std::vector<BuiltInRuntime>& built_in_runtimes() {
  static const std::vector<BuiltInRuntime> all = {
      {"torch-distributed", "torch", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime", "PyTorch"},
      {"deepspeed-distributed", "mpi", "", "DeepSpeed, started by mpirun"},
      {"mlx-distributed", "mpi", "", "MLX, started by mpirun"},
      {"jax-distributed", "jax", "", "JAX"},
      {"xgboost-distributed", "xgboost", "", "XGBoost"},
  };
  return all;
}

std::optional<std::string> built_in_runtime_text(std::string_view name) {
  const auto& all = built_in_runtimes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const BuiltInRuntime& each) { return each.name == name; });
  if (found == all.end()) return std::nullopt;
  const std::string image =
      found->image.empty() ? "\n" : "\n                      image: " + std::string(found->image) + "\n";
  std::string text = std::string(kHead) + std::string(name) + "\nspec:\n  mlPolicy:\n    numNodes: 1";
  if (found->framework == "mpi") return text + std::string(kLauncher) + std::string(kWorkers) + image;
  text += "\n    " + std::string(found->framework) + ": {}\n";
  return text + std::string(kNode) + image;
}

const YamlNode* built_in_runtime(std::string_view name) {
  static const std::map<std::string_view, YamlNode> trees = [] {
    std::map<std::string_view, YamlNode> read;
    for (const BuiltInRuntime& each : built_in_runtimes()) {
      const std::string place = std::string(kBuiltInPlace) + std::string(each.name);
      read[each.name] = load_yaml(built_in_runtime_text(each.name).value_or(""), place).root;
    }
    return read;
  }();
  const auto found = trees.find(name);
  return found == trees.end() ? nullptr : &found->second;
}

std::string_view missing_runtime(std::string_view name) {
  if (name.starts_with("torchtune-"))
    return "torchtune's runtimes fetch a model and a data set, which muster does not do; fetch both before the job, "
           "and run `tune run` with torch-distributed";
  if (name == "torch-distributed-with-cache")
    return "it needs the data cache of a cluster; read the data from a volume with torch-distributed";
  if (name.starts_with("flux-")) return "muster starts ranks without Flux; use torch-distributed or a runtime with mpi";
  return "";
}

}  // namespace muster
