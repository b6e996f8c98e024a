// SPDX-License-Identifier: Apache-2.0
// Checks the job's pods against the namespace's LimitRanges and ResourceQuotas.
#include <algorithm>
#include <set>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "backends/kubernetes/doctor/pod_needs.h"
#include "core/base/quantity.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr const char* kComesLater = "verdict";  // its pod starts after the others have ended

std::vector<ClusterValue> items_of(const ClusterAnswers& answers, const char* question) {
  const auto found = answers.find(question);
  return found == answers.end() ? std::vector<ClusterValue>() : ClusterValue::of(found->second.text).items({"items"});
}

std::string show_ranges(const ClusterCase& about) { return kubectl_in(about) + "describe limitranges"; }

// Checks one bound (min or max) of one rule. `amounts`: the pods' requests or limits.
void judge_bound(const ClusterCase& about, const std::string& who, const ClusterValue& rule, const char* bound,
                 const Amounts& amounts, std::vector<Finding>& findings) {
  const bool most = std::string_view(bound) == "max";
  for (const auto& [name, text] : rule.texts({bound})) {
    const auto asked = amounts.find(name);
    const auto edge = quantity_value(text);
    if (asked == amounts.end() || !edge) continue;
    if (most ? asked->second <= *edge : asked->second >= *edge) continue;
    findings.push_back({Level::problem, "limit range",
                        who + " asks for " + amount_text(name, asked->second) + ", but the namespace allows " +
                            (most ? "at most " : "at least ") + text,
                        "these pods cannot be created", show_ranges(about)});
  }
}

void judge_container(const ClusterCase& about, const PodsWanted& pods, const ContainerNeeds& needs,
                     const std::vector<ClusterValue>& ranges, std::vector<Finding>& findings) {
  const std::string who = pods.name + (needs.name == "agent" || needs.name == pods.name ? "" : " (" + needs.name + ")");
  for (const ClusterValue& range : ranges) {
    for (const ClusterValue& rule : range.items({"spec", "limits"})) {
      if (rule.text({"type"}) != "Container") continue;
      judge_bound(about, who, rule, "max", needs.limits, findings);
      judge_bound(about, who, rule, "min", needs.requests, findings);
    }
  }
  if (needs.name != "agent" || needs.defaulted.empty()) return;
  Amounts by_default;
  for (const std::string& name : needs.defaulted) by_default[name] = needs.limits.at(name);
  findings.push_back({Level::note, "limit range",
                      "the namespace limits the container of " + pods.name + " to " + amounts_text(by_default),
                      "its ranks share this limit; the kernel kills them if they use more memory",
                      "set their needs with `worker: {cpus: …, memory: …}` or `kubernetes: {resources: …}`"});
}

void judge_pod(const ClusterCase& about, const PodsWanted& pods, const PodNeeds& needs,
               const std::vector<ClusterValue>& ranges, std::vector<Finding>& findings) {
  // The init container has the same requests as the ranks' container.
  for (const ContainerNeeds& each : needs.containers)
    if (!each.initial) judge_container(about, pods, each, ranges, findings);
  for (const ClusterValue& range : ranges) {
    for (const ClusterValue& rule : range.items({"spec", "limits"})) {
      if (rule.text({"type"}) != "Pod") continue;
      judge_bound(about, "a pod of " + pods.name, rule, "max", needs.limits, findings);
      judge_bound(about, "a pod of " + pods.name, rule, "min", needs.requests, findings);
    }
  }
}

// The job's total, by the resource names that quotas use.
Amounts sum_for_quota(const std::vector<std::pair<PodsWanted, PodNeeds>>& all, const ClusterCase& about) {
  Amounts sum;
  for (const auto& [pods, needs] : all) {
    sum["count/jobs.batch"] += 1;
    if (pods.name == kComesLater) continue;
    sum["pods"] += pods.count;
    for (const auto& [name, amount] : needs.requests) sum["requests." + name] += amount * pods.count;
    for (const auto& [name, amount] : needs.limits) sum["limits." + name] += amount * pods.count;
  }
  for (const char* name : {"cpu", "memory"}) sum[name] = sum[std::string("requests.") + name];
  for (const auto& volume : about.wanted.volumes) sum["configmaps"] += volume.files.empty() ? 0 : 1;
  sum["secrets"] = sum["services"] = sum["count/jobsets.jobset.x-k8s.io"] = 1;
  for (const char* name : {"pods", "secrets", "services", "configmaps"}) sum[std::string("count/") + name] = sum[name];
  return sum;
}

// A quota on a resource rejects containers that do not set it.
void judge_unnamed(const std::string& quota, const std::string& name,
                   const std::vector<std::pair<PodsWanted, PodNeeds>>& all, std::vector<Finding>& findings) {
  const bool limits = name.starts_with("limits.");
  const std::string resource = limits || name.starts_with("requests.") ? name.substr(name.find('.') + 1) : name;
  if (resource != "cpu" && resource != "memory") return;
  std::set<std::string> who;
  for (const auto& [pods, needs] : all) {
    for (const ContainerNeeds& each : needs.containers)
      if (!(limits ? each.limits : each.requests).contains(resource)) who.insert(pods.name);
  }
  if (who.empty()) return;
  findings.push_back({Level::problem, "quota",
                      "quota " + quota + " counts " + name + ", but containers of " +
                          join({who.begin(), who.end()}, ", ") + " do not set it",
                      "these pods cannot be created",
                      "set `worker: {cpus: …, memory: …}`, or let an administrator create a LimitRange with defaults"});
}

void judge_quota(const ClusterCase& about, const ClusterValue& quota, const Amounts& sum,
                 const std::vector<std::pair<PodsWanted, PodNeeds>>& all, std::vector<Finding>& findings) {
  // A scoped quota covers only some pods; only the cluster knows which.
  if (!quota.items({"spec", "scopes"}).empty() || quota.at({"spec", "scopeSelector"}).is_there()) return;
  const std::string who = quota.text({"metadata", "name"});
  const auto used = quota.texts({"status", "used"});
  for (const auto& [name, text] : quota.texts({"spec", "hard"})) {
    judge_unnamed(who, name, all, findings);
    const auto asked = sum.find(name);
    const auto taken = used.find(name);
    const double before = taken == used.end() ? 0 : quantity_value(taken->second).value_or(0);
    constexpr double kRounding = 1e-9;
    const auto most = quantity_value(text);
    if (asked == sum.end() || asked->second <= 0 || !most) continue;
    if (before + asked->second <= *most * (1 + kRounding)) continue;
    findings.push_back({Level::problem, "quota",
                        "the job asks for " + amount_text(name, asked->second) + ", but quota " + who + " allows " +
                            text + (before > 0 ? ", of which " + taken->second + " is in use" : ""),
                        before > 0 && asked->second <= *most ? "the job waits until the quota has free capacity"
                                                             : "the job never gets all its pods",
                        kubectl_in(about) + "describe resourcequota " + who});
  }
}

}  // namespace

std::vector<Finding> judge_room(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  const bool may_look = answer_to("limits", "limit range", answers, findings) != nullptr;
  const bool sees_quota = answer_to("quotas", "quota", answers, findings) != nullptr;
  const std::vector<ClusterValue> ranges = items_of(answers, "limits");
  const std::vector<ClusterValue> quotas = items_of(answers, "quotas");
  const size_t before = findings.size();
  std::vector<std::pair<PodsWanted, PodNeeds>> all;
  if (about.has_job) {
    for (PodsWanted& pods : pods_wanted(about.job_set)) {
      PodNeeds needs = needs_of(pods.spec, ranges);
      judge_pod(about, pods, needs, ranges, findings);
      all.emplace_back(std::move(pods), std::move(needs));
    }
    const Amounts sum = sum_for_quota(all, about);
    for (const ClusterValue& quota : quotas) judge_quota(about, quota, sum, all, findings);
  }
  if (findings.size() > before || !may_look || !sees_quota) return findings;
  const std::string there = ranges.empty() && quotas.empty()
                                ? "no LimitRange and no ResourceQuota"
                                : count_of(ranges.size(), "LimitRange") + ", " +
                                      count_of(quotas.size(), "ResourceQuota") +
                                      (about.has_job ? "; the job fits" : "; pass a job file to check whether it fits");
  findings.push_back({Level::ok, "capacity", there, "", ""});
  return findings;
}

}  // namespace muster
