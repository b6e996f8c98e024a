// SPDX-License-Identifier: Apache-2.0
// Whether the pods of a job would fit on the nodes if these were empty.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "backends/kubernetes/doctor/pod_needs.h"
#include "core/base/quantity.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Level = Finding::Level;

// "Exists" without a key tolerates every taint.
bool tolerates(const ClusterValue& toleration, const ClusterValue& taint) {
  const std::string key = toleration.text({"key"});
  const std::string effect = toleration.text({"effect"});
  if (!key.empty() && key != taint.text({"key"})) return false;
  if (!effect.empty() && effect != taint.text({"effect"})) return false;
  if (toleration.text({"operator"}) == "Exists") return true;
  return !key.empty() && toleration.text({"value"}) == taint.text({"value"});
}

// Why the pods cannot run on this node; empty: they can.
std::string kept_from(const ClusterValue& pod, const ClusterValue& node) {
  const auto labels = node.texts({"metadata", "labels"});
  for (const auto& [name, value] : pod.texts({"nodeSelector"})) {
    const auto found = labels.find(name);
    if (found == labels.end() || found->second != value) return "not labelled " + name + "=" + value;
  }
  for (const ClusterValue& condition : node.items({"status", "conditions"}))
    if (condition.text({"type"}) == "Ready" && condition.text({"status"}) != "True") return "not ready";
  if (node.is_true({"spec", "unschedulable"})) return "cordoned";
  const auto tolerations = pod.items({"tolerations"});
  for (const ClusterValue& taint : node.items({"spec", "taints"})) {
    if (taint.text({"effect"}) == "PreferNoSchedule") continue;
    if (std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const ClusterValue& each) { return tolerates(each, taint); }))
      return "tainted " + taint.text({"key"});
  }
  return "";
}

// The number of pods that fit on the empty node. Counts in `lacking` the resources that are too small for one pod.
double room_for(const Amounts& needs, const ClusterValue& node, std::map<std::string, int>& lacking) {
  const auto has = node.texts({"status", "allocatable"});
  double room = 1e9;  // if the pods request nothing
  for (const auto& [name, amount] : needs) {
    if (amount <= 0) continue;
    const auto found = has.find(name);
    const double there = found == has.end() ? 0 : quantity_value(found->second).value_or(0);
    if (there < amount) ++lacking[name];
    room = std::min(room, std::floor(there / amount));
  }
  return room;
}

// True if an autoscaler may create nodes.
bool may_grow(const std::vector<ClusterValue>& nodes) {
  constexpr std::array<const char*, 5> kSigns = {"karpenter.sh/nodepool", "cloud.google.com/gke-nodepool",
                                                 "eks.amazonaws.com/nodegroup", "kubernetes.azure.com/agentpool",
                                                 "alpha.eksctl.io/nodegroup-name"};
  return std::any_of(nodes.begin(), nodes.end(), [&](const ClusterValue& node) {
    const auto labels = node.texts({"metadata", "labels"});
    return std::any_of(kSigns.begin(), kSigns.end(), [&](const char* sign) { return labels.contains(sign); });
  });
}

std::string counted(const std::map<std::string, int>& reasons, const std::string& word) {
  std::vector<std::string> parts;
  for (const auto& [name, nodes] : reasons) parts.push_back(std::to_string(nodes) + " " + word + name);
  return join(parts, ", ");
}

Finding judge_pods(const PodsWanted& pods, const std::vector<ClusterValue>& nodes,
                   const std::vector<ClusterValue>& ranges) {
  const Amounts needs = needs_of(pods.spec, ranges).requests;
  std::map<std::string, int> lacking;
  std::map<std::string, int> kept;
  double room = 0;
  size_t usable = 0;
  for (const ClusterValue& node : nodes) {
    const std::string why = kept_from(pods.spec, node);
    if (!why.empty()) {
      ++kept[why];
      continue;
    }
    const double here = room_for(needs, node, lacking);
    usable += here >= 1 ? 1 : 0;
    room += here;
  }
  const auto count = static_cast<uint64_t>(pods.count);
  const std::string each = needs.empty() ? "" : " of " + amounts_text(needs);
  const std::string text = pods.name + ": " + count_of(count, "pod") + each + "; " + std::to_string(usable) + " of " +
                           count_of(nodes.size(), "node") + (usable == 1 ? " is" : " are") +
                           " large enough for such a pod";
  if (room >= pods.count) return {Level::ok, "nodes", text + " (if empty)", "", ""};
  std::vector<std::string> reasons;
  if (!lacking.empty()) reasons.push_back(counted(lacking, "with too little "));
  if (!kept.empty()) reasons.push_back(counted(kept, ""));
  if (room >= 1) reasons.push_back("capacity for " + count_of(static_cast<uint64_t>(room), "pod"));
  return {may_grow(nodes) ? Level::note : Level::problem, "nodes", text + " (" + join(reasons, "; ") + ")",
          may_grow(nodes) ? "its pods wait until an autoscaler adds nodes" : "some of its pods can never be scheduled",
          "kubectl describe nodes shows their resources; request less, or allow other nodes with node_selector and "
          "tolerations"};
}

}  // namespace

std::vector<Finding> judge_nodes(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  if (!about.has_job) return findings;
  const ClusterAnswer* answer = answer_to("nodes", "nodes", answers, findings);
  if (answer == nullptr) return findings;
  const std::vector<ClusterValue> nodes = ClusterValue::of(answer->text).items({"items"});
  if (nodes.empty())
    return {{Level::problem, "nodes", "the cluster has no nodes", "no pod can run", "kubectl get nodes"}};
  const auto limits = answers.find("limits");
  const std::vector<ClusterValue> ranges =
      limits == answers.end() ? std::vector<ClusterValue>() : ClusterValue::of(limits->second.text).items({"items"});
  for (const PodsWanted& pods : pods_wanted(about.job_set)) {
    if (pods.name != "verdict") findings.push_back(judge_pods(pods, nodes, ranges));
  }
  return findings;
}

}  // namespace muster
