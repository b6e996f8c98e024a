// SPDX-License-Identifier: Apache-2.0
// Output of kubectl 1.36 for a JobSet and for pods, with parts that a test fills in.
#pragma once

#include <string>

#include "core/job/pod_words.h"

namespace muster::recorded {

inline std::string job_set(const std::string& conditions, const std::string& parts = "") {
  return R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"creationTimestamp":"2026-11-23T10:28:40Z","generation":1,)"
         R"("labels":{"muster.dev/job":"hello"},"name":"hello","namespace":"default","resourceVersion":"215","uid":"a6334c4c-d0f0-4e66-8e89-d83f0830219b"},)"
         R"("spec":{"replicatedJobs":[{"name":"coordinator","replicas":1,"template":{"spec":{"template":{"spec":{"containers":[{"name":"coordinator",)"
         R"("env":[{"name":"MUSTER_POD_JOB","value":"{\"name\":\"hello\",\"command\":[\"true\"]}"}]}]}}}}}]},)"
         R"("status":{"conditions":[)" +
         conditions + R"(],"replicatedJobsStatus":[)" + parts + R"(],"restarts":0}})";
}

inline std::string pod(const std::string& part, const std::string& status,
                       const std::string& created = "2026-11-23T10:28:41Z") {
  const bool ours = part == pod::kCoordinatorJob || part == pod::kVerdictJob;
  const std::string container = ours ? part : pod::kAgentContainer;
  return R"({"kind":"Pod","metadata":{"name":"hello-)" + part + R"(-0-0-abcde","creationTimestamp":")" + created +
         R"(","labels":{"jobset.sigs.k8s.io/jobset-name":"hello","jobset.sigs.k8s.io/replicatedjob-name":")" + part +
         R"("}},"spec":{"nodeName":"node-1","containers":[{"name":")" + container + R"("}]},"status":{)" + status +
         "}}";
}

// The same, in a cluster that adds a container before muster's to every pod, as service meshes do. `status` is that of muster's container.
inline std::string pod_with_sidecar(const std::string& part, const std::string& phase,
                                    const std::string& container_status) {
  const std::string sidecar = R"({"name":"istio-proxy","ready":true,"state":{"running":{}}})";
  std::string text =
      pod(part, R"("phase":")" + phase + R"(","containerStatuses":[)" + sidecar + "," + container_status + "]");
  const std::string containers = R"("containers":[)";
  return text.insert(text.find(containers) + containers.size(), R"({"name":"istio-proxy"},)");
}

}  // namespace muster::recorded
