// SPDX-License-Identifier: Apache-2.0
// Checks that the objects named by the job exist in the namespace.
#include <algorithm>

#include "backends/kubernetes/doctor/cluster_check.h"

namespace muster {
namespace {

using Level = Finding::Level;

void judge_claim(const ClusterCase& about, const std::string& name, const ClusterValue& claim,
                 std::vector<Finding>& findings) {
  const std::string phase = claim.text({"status", "phase"});
  if (phase == "Bound" || phase.empty()) return;
  findings.push_back({phase == "Lost" ? Level::problem : Level::note, "volume claim",
                      name + " is " + (phase == "Pending" ? "not bound" : phase),
                      phase == "Lost" ? "pods wait for it forever" : "pods wait for it, unless the first pod binds it",
                      kubectl_in(about) + "describe persistentvolumeclaim " + name});
}

struct Named {
  std::string question;
  std::string kind;
  std::string name;
  std::string mend;
};

std::vector<Named> named_by(const ClusterCase& about) {
  const KubernetesSpec& wanted = about.wanted;
  const std::string create = kubectl_in(about) + "create ";
  std::vector<Named> all;
  const auto add = [&](const std::string& question, const std::string& kind, const std::string& name,
                       const std::string& mend) {
    if (!name.empty()) all.push_back({question, kind, name, mend});
  };
  add("serviceaccount " + wanted.service_account, "service account", wanted.service_account,
      create + "serviceaccount " + wanted.service_account);
  for (const std::string& name : wanted.pull_secrets)
    add("secret " + name, "pull secret", name,
        create + "secret docker-registry " + name +
            " --docker-server=REGISTRY --docker-username=USER "
            "--docker-password=PASSWORD");
  for (const VolumeSpec& volume : wanted.volumes) {
    add("persistentvolumeclaim " + volume.claim, "volume claim", volume.claim,
        kubectl_in(about) + "get persistentvolumeclaims lists the claims");
    add("secret " + volume.secret, "secret", volume.secret, create + "secret generic " + volume.secret);
  }
  add("priorityclass", "priority class", wanted.priority_class, "kubectl get priorityclasses lists the classes");
  add("runtimeclass", "runtime class", wanted.runtime_class, "kubectl get runtimeclasses lists the classes");
  if (wanted.gang == PodGang::none)
    add("queue", "queue", wanted.queue, kubectl_in(about) + "get localqueues lists the queues");
  return all;
}

// True if the cluster does not have this resource type.
bool is_unknown(const Status& status) { return status.message().find("have a resource type") != std::string::npos; }

}  // namespace

std::vector<Finding> judge_named(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  if (!about.has_job) return findings;
  for (const Named& each : named_by(about)) {
    const auto found = answers.find(each.question);
    if (found == answers.end()) continue;
    if (is_unknown(found->second.status)) {
      findings.push_back({Level::note, each.kind, "Kueue is not installed, but the job names the queue " + each.name,
                          "the queue has no effect: pods start at once",
                          "remove `queue`, or let an administrator install Kueue"});
      continue;
    }
    if (found->second.status.code() == Code::not_found) {
      findings.push_back({Level::problem, each.kind, "there is no " + each.kind + " " + each.name,
                          each.kind == "queue" ? "the job is never admitted" : "the pods of the job do not start",
                          each.mend});
      continue;
    }
    const size_t before = findings.size();
    const ClusterAnswer* answer = answer_to(each.question, each.kind, answers, findings);
    if (answer == nullptr) continue;
    if (each.kind == "volume claim") judge_claim(about, each.name, ClusterValue::of(answer->text), findings);
    if (findings.size() == before) findings.push_back({Level::ok, each.kind, each.name + " exists", "", ""});
  }
  return findings;
}

}  // namespace muster
