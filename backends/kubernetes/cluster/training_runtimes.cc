// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/training_runtimes.h"

#include <algorithm>

#include "backends/kubernetes/cluster/cluster_value.h"
#include "core/job/file/kubeflow/manifest.h"

namespace muster {
namespace {

constexpr const char* kFrameworkLabel = "trainer.kubeflow.org/framework";

// With its group, because other groups may have kinds of the same name.
std::string resource_of(const std::string& kind) {
  return std::string(kind == kNamespacedRuntime ? "trainingruntimes" : "clustertrainingruntimes") +
         ".trainer.kubeflow.org";
}

}  // namespace

Result<std::vector<TrainingRuntimeFacts>> read_training_runtimes(std::string_view json) {
  const ClusterValue list = ClusterValue::of(json);
  if (!list.is_there()) return Status(Code::data_loss, "kubectl did not print a list of runtimes");
  std::vector<TrainingRuntimeFacts> runtimes;
  for (const ClusterValue& item : list.items({"items"}))
    runtimes.push_back({item.text({"kind"}), item.text({"metadata", "name"}), item.text({"metadata", "namespace"}),
                        item.text({"metadata", "labels", kFrameworkLabel})});
  std::sort(runtimes.begin(), runtimes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return runtimes;
}

Result<std::vector<TrainingRuntimeFacts>> list_training_runtimes(const KubectlAccess& access, const std::string& kind) {
  const auto printed = run_kubectl(access, {.words = {"get", resource_of(kind), "-o", "json"}, .apart = false});
  if (!printed.ok()) return printed.status();
  return read_training_runtimes(*printed);
}

Result<std::optional<std::string>> training_runtime_text(const KubectlAccess& access, const std::string& kind,
                                                         const std::string& name) {
  auto printed = run_kubectl(
      access, {.words = {"get", resource_of(kind) + "/" + name, "-o", "yaml", "--ignore-not-found"}, .apart = false});
  if (!printed.ok()) return printed.status();
  if (printed->empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(*printed));
}

}  // namespace muster
