// SPDX-License-Identifier: Apache-2.0
// Selects the cluster that a command uses, and finds the user's kubectl.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/kubernetes/cluster/kubectl.h"
#include "core/client/caller_context.h"

namespace muster {

// The flags as typed. Every backend other than kubernetes means the user's own controller.
struct ClusterWords {
  std::optional<std::string> backend;
  std::optional<std::string> context;
  std::optional<std::string> space;

  ClusterPlace place() const { return {context.value_or(""), space.value_or("")}; }
};

// True if --backend, --context or --namespace select a cluster; without them, if MUSTER_BACKEND does. invalid_argument: unknown
// backend, or contradicting flags.
Result<bool> means_cluster(const ClusterWords& words, const CallerContext& caller);

// " --backend kubernetes" with the flags that a later command needs to find the job.
std::string cluster_flags(const ClusterPlace& place);

// muster's image of this version, for jobs that do not set kubernetes.muster_image.
std::string muster_image(const CallerContext& caller);

// not_found: kubectl is not in PATH. `show`: writes to stderr; if that is a terminal, it gets the prompts of kubectl.
Result<KubectlAccess> kubectl_access(const CallerContext& caller, const ClusterPlace& place,
                                     std::function<void(std::string_view)> show);

}  // namespace muster
