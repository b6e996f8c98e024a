// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/doctor/pod_needs.h"

#include <algorithm>
#include <cstdio>

#include "core/base/quantity.h"
#include "core/base/text.h"

namespace muster {
namespace {

Amounts amounts_of(const ClusterValue& value, ClusterValue::Path path) {
  Amounts amounts;
  for (const auto& [name, text] : value.texts(path)) amounts[name] = quantity_value(text).value_or(0);
  return amounts;
}

// Like the API server: default limits, default requests; without a default, a request equals the limit.
void add_defaults(ContainerNeeds& needs, const std::vector<ClusterValue>& ranges) {
  for (const ClusterValue& range : ranges) {
    for (const ClusterValue& rule : range.items({"spec", "limits"})) {
      if (rule.text({"type"}) != "Container") continue;
      for (const auto& [name, amount] : amounts_of(rule, {"default"})) {
        if (needs.limits.emplace(name, amount).second) needs.defaulted.push_back(name);
      }
      for (const auto& [name, amount] : amounts_of(rule, {"defaultRequest"})) needs.requests.emplace(name, amount);
    }
  }
}

ContainerNeeds container_needs(const ClusterValue& container, const std::vector<ClusterValue>& ranges) {
  ContainerNeeds needs{.name = container.text({"name"}),
                       .requests = amounts_of(container, {"resources", "requests"}),
                       .limits = amounts_of(container, {"resources", "limits"}),
                       .defaulted = {}};
  // A limit without a request is also the request, before any defaults.
  for (const auto& [name, amount] : needs.limits) needs.requests.emplace(name, amount);
  add_defaults(needs, ranges);
  for (const auto& [name, amount] : needs.limits) needs.requests.emplace(name, amount);
  return needs;
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

void take_larger(Amounts& sum, const Amounts& other) {
  for (const auto& [name, amount] : other) sum[name] = std::max(sum[name], amount);
}

}  // namespace

PodNeeds needs_of(const ClusterValue& pod, const std::vector<ClusterValue>& ranges) {
  PodNeeds needs;
  for (const ClusterValue& each : pod.items({"containers"})) {
    needs.containers.push_back(container_needs(each, ranges));
    add(needs.requests, needs.containers.back().requests);
    add(needs.limits, needs.containers.back().limits);
  }
  for (const ClusterValue& each : pod.items({"initContainers"})) {
    needs.containers.push_back(container_needs(each, ranges));
    needs.containers.back().initial = true;
    take_larger(needs.requests, needs.containers.back().requests);
    take_larger(needs.limits, needs.containers.back().limits);
  }
  return needs;
}

std::string amount_text(const std::string& resource, double amount) {
  if (resource.ends_with("memory") || resource.ends_with("storage"))
    return humane_size(static_cast<uint64_t>(std::clamp(amount, 0.0, 1e18))) + " " + resource;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", amount);
  return std::string(text) + " " + resource;
}

std::string amounts_text(const Amounts& amounts) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : amounts)
    if (amount > 0) parts.push_back(amount_text(name, amount));
  return join(parts, ", ");
}

}  // namespace muster
