// Which cluster a command is about, and the user's kubectl for it.
#pragma once

#include <optional>
#include <string>

#include "backends/kubernetes/cluster/kubectl.h"
#include "core/client/caller_context.h"

namespace muster {

// As it was typed. Other backends than kubernetes are the user's controller.
struct ClusterWords {
  std::optional<std::string> backend;
  std::optional<std::string> context;
  std::optional<std::string> space;

  ClusterPlace place() const { return {context.value_or(""), space.value_or("")}; }
};

// Whether a command is about a cluster: --backend, --context or --namespace say so, else MUSTER_BACKEND. invalid_argument: no such
// backend, or flags that contradict each other.
Result<bool> means_cluster(const ClusterWords& words, const CallerContext& caller);

// " --backend kubernetes" and what else a command needs to find the job again.
std::string cluster_flags(const ClusterPlace& place);

// Ours, where a job names none: that of this version.
std::string muster_image(const CallerContext& caller);

// not_found: there is no kubectl.
Result<KubectlAccess> kubectl_access(const CallerContext& caller, const ClusterPlace& place);

}  // namespace muster
