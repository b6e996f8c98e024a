// SPDX-License-Identifier: Apache-2.0
// Ranks and GPUs per pod of a group. For `auto`, the counts follow from `resources`, not from a machine.
#include <algorithm>

#include "backends/kubernetes/manifest/manifest_parts.h"
#include "core/base/text.h"

namespace muster {
namespace {

std::map<std::string, std::string> joined(std::map<std::string, std::string> base,
                                          const std::map<std::string, std::string>& over) {
  for (const auto& [name, value] : over) base[name] = value;
  return base;
}

// GPUs in `resources`; 0: not set, or not a whole number.
uint64_t named_gpus(const JobSpec& spec, const GroupSpec& group) {
  constexpr size_t kMostDigits = 4;
  const auto resources = resources_of(spec, group);
  const auto found = resources.find(spec.kubernetes.gpu_resource);
  if (found == resources.end() || found->second.empty() || found->second.size() > kMostDigits) return 0;
  if (found->second.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoul(found->second);
}

}  // namespace

std::map<std::string, std::string> resources_of(const JobSpec& spec, const GroupSpec& group) {
  return joined(spec.kubernetes.resources, group.kubernetes.resources);
}

std::map<std::string, std::string> node_selector_of(const JobSpec& spec, const GroupSpec& group) {
  return joined(spec.kubernetes.node_selector, group.kubernetes.node_selector);
}

std::string pod_image_of(const JobSpec& spec, const GroupSpec& group) {
  return group.kubernetes.image.empty() ? spec.kubernetes.image : group.kubernetes.image;
}

PodCounts pod_counts(const JobSpec& spec, const GroupSpec& group) {
  const uint64_t named = named_gpus(spec, group);
  const AutoCount& gpus = group.worker.gpus;
  PodCounts counts;
  if (group.workers.automatic) {
    const uint64_t of_worker = gpus.automatic ? 1 : gpus.count;
    counts.workers = of_worker == 0 ? 1 : static_cast<uint32_t>(std::max<uint64_t>(named / of_worker, 1));
  } else {
    counts.workers = group.workers.count;
  }
  const uint32_t share = counts.workers == 0 ? 0 : static_cast<uint32_t>(named / counts.workers);
  counts.gpus_of_worker = gpus.automatic ? share : gpus.count;
  counts.gpus = std::max<uint64_t>(named, static_cast<uint64_t>(counts.workers) * counts.gpus_of_worker);
  return counts;
}

JobSpec settled_for_cluster(const JobSpec& spec) {
  JobSpec settled = spec;
  for (GroupSpec& group : settled.groups) {
    const PodCounts counts = pod_counts(spec, group);
    group.workers = {false, counts.workers};
    group.worker.gpus = {false, counts.gpus_of_worker};
  }
  return settled;
}

std::vector<std::string> remarks_for_cluster(const JobSpec& spec) {
  std::vector<std::string> remarks;
  for (const GroupSpec& group : spec.groups) {
    const PodCounts counts = pod_counts(spec, group);
    const std::string who = spec.groups.size() == 1 ? "" : group.name + ": ";
    if (group.workers.automatic)
      remarks.push_back(who + "workers: " + std::to_string(counts.workers) + " in each pod, because it asks for " +
                        (counts.gpus == 0 ? "no GPU" : count_of(counts.gpus, "GPU")));
  }
  return remarks;
}

uint64_t pods_of_gang(const JobSpec& spec) {
  uint64_t pods = 1;  // the coordinator's
  for (const GroupSpec& group : spec.groups) pods += group.max_nodes;
  return pods;
}

}  // namespace muster
