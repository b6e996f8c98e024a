// SPDX-License-Identifier: Apache-2.0
// Whether pods of a job can reach its coordinator, each other and DNS.
#include <algorithm>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

using Level = Finding::Level;
using Labels = std::map<std::string, std::string>;

bool matches(const ClusterValue& expression, const Labels& labels) {
  const auto found = labels.find(expression.text({"key"}));
  const std::string how = expression.text({"operator"});
  if (how == "Exists") return found != labels.end();
  if (how == "DoesNotExist") return found == labels.end();
  const auto values = expression.items({"values"});
  const bool among = found != labels.end() && std::any_of(values.begin(), values.end(), [&](const ClusterValue& each) {
                       return each.text() == found->second;
                     });
  return how == "In" ? among : !among;
}

// An empty selector selects all.
bool selects(const ClusterValue& selector, const Labels& labels) {
  for (const auto& [name, value] : selector.texts({"matchLabels"})) {
    const auto found = labels.find(name);
    if (found == labels.end() || found->second != value) return false;
  }
  const auto expressions = selector.items({"matchExpressions"});
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const ClusterValue& each) { return matches(each, labels); });
}

bool has_port(const ClusterValue& rule, int port) {
  const auto ports = rule.items({"ports"});
  if (ports.empty()) return true;
  return port != 0 && std::any_of(ports.begin(), ports.end(), [&](const ClusterValue& each) {
           const std::string protocol = each.text({"protocol"});
           if (!protocol.empty() && protocol != "TCP") return false;
           const double first = each.number({"port"});
           const double last = std::max(first, each.number({"endPort"}));
           return (each.text({"port"}).empty()) || (first <= port && port <= last) || each.text({"port"}) == "agents";
         });
}

// An ipBlock counts as a match, because the pods' addresses are unknown. A namespaceSelector counts only if it selects all namespaces.
bool is_peer(const ClusterValue& peer, const Labels& labels) {
  if (peer.at({"ipBlock"}).is_there()) return true;
  const ClusterValue space = peer.at({"namespaceSelector"});
  if (space.is_there() && !selects(space, {})) return false;
  return selects(peer.at({"podSelector"}), labels);
}

bool concerns(const ClusterValue& policy, const std::string& direction, const Labels& labels) {
  const auto types = policy.items({"spec", "policyTypes"});
  const bool typed = types.empty() ? direction == "Ingress"
                                   : std::any_of(types.begin(), types.end(),
                                                 [&](const ClusterValue& each) { return each.text() == direction; });
  return typed && selects(policy.at({"spec", "podSelector"}), labels);
}

// The names of the policies that block traffic between `labels` and `peers` on a port (0: a port that is not known). Empty: no policy
// applies, or one allows it.
std::vector<std::string> blocking_policies(const std::vector<ClusterValue>& policies, const std::string& direction,
                                           const Labels& labels, const Labels& peers, int port) {
  const bool in = direction == "Ingress";
  std::vector<std::string> names;
  for (const ClusterValue& policy : policies) {
    if (!concerns(policy, direction, labels)) continue;
    names.push_back(policy.text({"metadata", "name"}));
    const auto rules = in ? policy.items({"spec", "ingress"}) : policy.items({"spec", "egress"});
    for (const ClusterValue& rule : rules) {
      const auto from = in ? rule.items({"from"}) : rule.items({"to"});
      const bool meant = from.empty() || std::any_of(from.begin(), from.end(),
                                                     [&](const ClusterValue& each) { return is_peer(each, peers); });
      if (meant && has_port(rule, port)) return {};
    }
  }
  return names;
}

std::string mend_of(const ClusterCase& about) {
  return kubectl_in(about) +
         "apply -f - <<<'{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"NetworkPolicy\",\"metadata\":{\"name\":"
         "\"muster\"},\"spec\":{\"podSelector\":{\"matchExpressions\":[{\"key\":\"" +
         pod::kJobLabel +
         "\",\"operator\":\"Exists\"}]},\"ingress\":[{\"from\":[{\"podSelector\":{\"matchExpressions\":[{\"key\":\"" +
         pod::kJobLabel + "\",\"operator\":\"Exists\"}]}}]}]}}'";
}

void judge_connection(const ClusterCase& about, const std::vector<ClusterValue>& policies, const PodsWanted& from,
                      const PodsWanted& to, int port, std::vector<Finding>& findings) {
  if (from.spec.is_true({"hostNetwork"}) && to.spec.is_true({"hostNetwork"})) return;
  const std::string where = port == 0 ? "" : " on port " + std::to_string(port);
  std::vector<std::string> names = blocking_policies(policies, "Ingress", to.labels, from.labels, port);
  std::vector<std::string> out = blocking_policies(policies, "Egress", from.labels, to.labels, port);
  names.insert(names.end(), out.begin(), out.end());
  if (names.empty()) return;
  findings.push_back({Level::problem, "network policy",
                      names.front() + " blocks " + from.name + " from " + to.name + where,
                      port == 0 ? "ranks cannot connect to each other" : "no rank starts", mend_of(about)});
}

void judge_policies(const ClusterCase& about, const ClusterAnswers& answers, std::vector<Finding>& findings) {
  const ClusterAnswer* answer = answer_to("network policies", "network policy", answers, findings);
  if (answer == nullptr) return;
  const std::vector<ClusterValue> policies = ClusterValue::of(answer->text).items({"items"});
  const std::vector<PodsWanted> all = pods_wanted(about.job_set);
  const auto coordinator =
      std::find_if(all.begin(), all.end(), [](const PodsWanted& each) { return each.name == pod::kCoordinatorJob; });
  if (coordinator == all.end()) return;
  const size_t before = findings.size();
  for (const PodsWanted& each : all) {
    if (each.name == pod::kCoordinatorJob || each.name == pod::kVerdictJob) continue;
    judge_connection(about, policies, each, *coordinator, pod::kAgentPort, findings);
    if (each.count > 1) judge_connection(about, policies, each, each, 0, findings);
  }
  if (findings.size() == before)
    findings.push_back({Level::ok, "network policy", "no policy blocks pods of a job from each other", "", ""});
}

// Only if kube-dns is readable. In some clusters DNS has another name.
void judge_dns(const ClusterAnswers& answers, std::vector<Finding>& findings) {
  const ClusterAnswer* answer = answer_to("dns", "dns", answers, findings);
  if (answer == nullptr) return;
  const auto slices = ClusterValue::of(answer->text).items({"items"});
  size_t ready = 0;
  for (const ClusterValue& slice : slices) {
    for (const ClusterValue& each : slice.items({"endpoints"}))
      ready += each.text({"conditions", "ready"}) == "false" ? 0 : 1;
  }
  if (slices.empty()) {
    findings.push_back(
        {Level::ok, "dns", "no service kube-dns in kube-system; the cluster's DNS may have another name", "", ""});
  } else if (ready == 0) {
    findings.push_back({Level::problem, "dns", "kube-dns has no ready address",
                        "pods cannot resolve the coordinator's name",
                        "kubectl -n kube-system get pods -l k8s-app=kube-dns shows why"});
  } else {
    findings.push_back({Level::ok, "dns", "kube-dns is ready", "", ""});
  }
}

}  // namespace

std::vector<Finding> judge_ways_of_pods(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  judge_policies(about, answers, findings);
  judge_dns(answers, findings);
  return findings;
}

}  // namespace muster
