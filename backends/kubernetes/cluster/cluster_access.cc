// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_access.h"

#include "core/client/run_program.h"
#include "core/job/errors/explain.h"

namespace muster {
namespace {

constexpr const char* kKubernetes = "kubernetes";

}  // namespace

Result<bool> means_cluster(const ClusterWords& words, const CallerContext& caller) {
  const std::string backend = words.backend ? *words.backend : caller.variable("MUSTER_BACKEND").value_or("");
  const bool placed = words.context || words.space;
  if (words.backend && backend != kKubernetes && backend != "local" && backend != "ssh")
    return Status(Code::invalid_argument, "unknown backend `" + backend + "`; choose local, ssh or kubernetes");
  if (words.backend && backend != kKubernetes && placed)
    return Status(Code::invalid_argument, "--context and --namespace need --backend kubernetes, not " + backend);
  return placed || backend == kKubernetes;
}

std::string cluster_flags(const ClusterPlace& place) {
  return " --backend kubernetes" + (place.context.empty() ? "" : " --context " + place.context) +
         (place.space.empty() ? "" : " --namespace " + place.space);
}

std::string muster_image(const CallerContext& caller) { return "muster:" + caller.version; }

Result<KubectlAccess> kubectl_access(const CallerContext& caller, const ClusterPlace& place,
                                     std::function<void(std::string_view)> show) {
  KubectlAccess access;
  access.program = find_program("kubectl", caller.variable("PATH").value_or(""), caller.workdir);
  access.environment = caller.environment;
  access.place = place;
  if (caller.stderr_tty) access.prompts = std::make_shared<KubectlPrompts>(std::move(show));
  if (!access.program.empty()) return access;
  return explained(Code::not_found,
                   "kubectl is not in PATH, but muster needs it to reach a cluster; install it: "
                   "https://kubernetes.io/docs/tasks/tools",
                   "E1651");
}

}  // namespace muster
