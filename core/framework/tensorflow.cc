// SPDX-License-Identifier: Apache-2.0
// TF_CONFIG of TensorFlow (tensorflow/python/distribute/cluster_resolver/tfconfig_cluster_resolver.py, 2.21). The groups
// of the job are the task types of the cluster (core/job/rules/framework_rules.h).
#include <nlohmann/json.hpp>

#include "core/framework/world_place.h"
#include "core/job/rules/task_types.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> config(const RankPlace& view) {
  const std::string own_type = task_type(view.spec, view.rank.group);
  Json cluster = Json::object();
  for (uint32_t group = 0; group < view.spec.groups.size(); ++group) {
    const std::string type = task_type(view.spec, group);
    if (type == "evaluator" && own_type != type) continue;  // it takes no part in the training
    const auto endpoints = group_endpoints(view, group);
    if (!endpoints) return std::nullopt;
    cluster[type] = *endpoints;
  }
  const Json task = {{"type", own_type}, {"index", view.rank.rank}};
  return Json{{"cluster", cluster}, {"task", task}}.dump();
}

std::optional<std::string> unproxied(const RankPlace& view) {
  std::string list;
  for (const std::string& address : view.place.addresses) list += (list.empty() ? "" : ",") + address;
  return list;
}

constexpr FrameworkVariable kTensorflowVariables[] = {
    {"TF_CONFIG", "the tasks of the cluster with their addresses and leased TCP ports, and the task of this rank",
     config},
    {kNoProxyVariable,
     "only if a proxy is set: addresses of the nodes, then your no_proxy; gRPC uses no proxy for these", unproxied,
     true},
};

}  // namespace

std::span<const FrameworkVariable> tensorflow_variables() { return kTensorflowVariables; }

}  // namespace muster
