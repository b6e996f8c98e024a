// SPDX-License-Identifier: Apache-2.0
// Checks the namespace, and the job's pods against its Pod Security Standard.
#include <algorithm>
#include <array>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr const char* kEnforce = "pod-security.kubernetes.io/enforce";

std::vector<ClusterValue> containers_of(const ClusterValue& pod) {
  std::vector<ClusterValue> all = pod.items({"initContainers"});
  for (ClusterValue& each : pod.items({"containers"})) all.push_back(std::move(each));
  return all;
}

// Capabilities that a container may add under `baseline`.
bool is_harmless(const std::string& capability) {
  constexpr std::array<std::string_view, 13> kHarmless = {
      "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
      "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};
  return std::find(kHarmless.begin(), kHarmless.end(), capability) != kHarmless.end();
}

void against_baseline(const ClusterValue& pod, std::vector<std::string>& against) {
  for (const char* flag : {"hostNetwork", "hostIPC", "hostPID"})
    if (pod.is_true({flag})) against.push_back(flag);
  for (const ClusterValue& volume : pod.items({"volumes"}))
    if (volume.at({"hostPath"}).is_there()) against.push_back("hostPath " + volume.text({"hostPath", "path"}));
  for (const ClusterValue& each : containers_of(pod)) {
    if (each.is_true({"securityContext", "privileged"})) against.push_back("privileged");
    for (const ClusterValue& added : each.items({"securityContext", "capabilities", "add"}))
      if (!is_harmless(added.text())) against.push_back("capability " + added.text());
  }
}

// The container's setting, else the pod's.
std::string in_either(const ClusterValue& pod, const ClusterValue& container, ClusterValue::Path path) {
  const std::string own = container.at({"securityContext"}).text(path);
  return own.empty() ? pod.at({"securityContext"}).text(path) : own;
}

bool drops_all(const ClusterValue& container) {
  const auto dropped = container.items({"securityContext", "capabilities", "drop"});
  return std::any_of(dropped.begin(), dropped.end(), [](const ClusterValue& each) { return each.text() == "ALL"; });
}

void against_restricted(const ClusterValue& pod, std::vector<std::string>& against) {
  for (const ClusterValue& each : containers_of(pod)) {
    const std::string profile = in_either(pod, each, {"seccompProfile", "type"});
    if (each.text({"securityContext", "allowPrivilegeEscalation"}) != "false")
      against.push_back("privilege escalation is not forbidden");
    if (in_either(pod, each, {"runAsNonRoot"}) != "true") against.push_back("runAsNonRoot is not set");
    if (!drops_all(each)) against.push_back("capabilities are not dropped");
    if (profile != "RuntimeDefault" && profile != "Localhost") against.push_back("no seccomp profile");
    if (in_either(pod, each, {"runAsUser"}) == "0") against.push_back("runs as root");
  }
}

// The settings of the pods that the standard forbids, without duplicates.
std::vector<std::string> against(const std::string& standard, const ClusterValue& pod) {
  std::vector<std::string> all;
  if (standard == "baseline" || standard == "restricted") against_baseline(pod, all);
  if (standard == "restricted") against_restricted(pod, all);
  std::vector<std::string> once;
  for (std::string& each : all)
    if (std::find(once.begin(), once.end(), each) == once.end()) once.push_back(std::move(each));
  return once;
}

std::string mend_of(const ClusterCase& about, const std::string& standard, const std::vector<std::string>& reasons) {
  const bool by_key = standard == "restricted" && !about.wanted.security.restricted &&
                      std::find(reasons.begin(), reasons.end(), "runAsNonRoot is not set") != reasons.end();
  if (by_key) return "set `kubernetes: {security: {restricted: true}}`, and use an image whose user is not root";
  return "remove these settings, or let an administrator run: kubectl label namespace " + about.space +
         " --overwrite " + kEnforce + "=privileged";
}

}  // namespace

std::vector<Finding> judge_policy(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  const auto found = answers.find("namespace");
  if (found != answers.end() && found->second.status.code() == Code::not_found)
    return {{Level::problem, "namespace", "there is no namespace " + about.space, "no job can be submitted",
             "kubectl create namespace " + about.space}};
  const ClusterAnswer* answer = answer_to("namespace", "namespace", answers, findings);
  if (answer == nullptr) return findings;
  const ClusterValue space = ClusterValue::of(answer->text);
  if (space.text({"status", "phase"}) == "Terminating")
    return {{Level::problem, "namespace", about.space + " is being deleted", "nothing can be created in it",
             "use another with --namespace NAME; kubectl get namespaces lists them"}};
  const auto labels = space.texts({"metadata", "labels"});
  const auto label = labels.find(kEnforce);
  const std::string standard = label == labels.end() ? "" : label->second;
  findings.push_back(
      {Level::ok, "namespace", about.space + (standard.empty() ? "" : ", pod security " + standard), "", ""});
  if (!about.has_job) return findings;
  for (const PodsWanted& pods : pods_wanted(about.job_set)) {
    const std::vector<std::string> reasons = against(standard, pods.spec);
    if (reasons.empty()) continue;
    findings.push_back(
        {Level::problem, "pod security",
         "the namespace's standard `" + standard + "` forbids for " + pods.name + ": " + join(reasons, ", "),
         "these pods cannot be created", mend_of(about, standard, reasons)});
  }
  return findings;
}

}  // namespace muster
