// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/outer_job.h"

#include <algorithm>
#include <numeric>

#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

// A group of a launcher has a world of its own, so its size says nothing about the job.
bool may_have_other_nodes(const CallerContext& caller) {
  return caller.variable(kMpirunGroups) ||
         caller.variable("MUSTER_WORLD_SIZE") != caller.variable("MUSTER_LOCAL_WORLD_SIZE");
}

}  // namespace

Result<std::optional<OuterJob>> outer_job(const CallerContext& caller) {
  const auto client = RankClient::of(caller.environment);
  const bool is_rank = caller.variable("MUSTER_ATTEMPT").has_value();
  if (!client && is_rank && may_have_other_nodes(caller))
    return Status(Code::unavailable,
                  "cannot find the nodes of the job that this command runs in: the agent of this node has no socket "
                  "for its ranks (MUSTER_SOCKET is not set), for example because the path of its folder is too long");
  if (!client) return std::optional<OuterJob>();
  const auto text = client->get(std::string(kJobNodesKey));
  if (text.status().code() == Code::not_found || (!text.ok() && !may_have_other_nodes(caller)))
    return std::optional<OuterJob>();
  if (!text.ok()) return text.status().with_context("cannot find the nodes of the job that this command runs in");
  auto nodes = nodes_from_json(*text);
  if (!nodes.ok()) return nodes.status();
  if (nodes->size() < 2) return std::optional<OuterJob>();
  auto chosen = launcher_nodes(*nodes, caller.environment);
  if (!chosen.ok()) return chosen.status();
  return std::optional(OuterJob{*client, std::move(*chosen)});
}

bool use_nodes(const std::vector<JobNode>& nodes, MpirunPlaces& places, MpirunFacts& facts) {
  const auto find = [&](const std::string& name) {
    return std::find_if(nodes.begin(), nodes.end(), [&](const JobNode& node) { return node.name == name; });
  };
  const bool all_known = std::all_of(places.hosts.begin(), places.hosts.end(),
                                     [&](const MpirunHost& host) { return find(host.name) != nodes.end(); });
  if (!all_known) return false;
  if (places.hosts.empty()) {
    for (const JobNode& node : nodes) places.hosts.push_back({node.name, node.ranks});
    places.of_apps.clear();
  }
  places.remote = true;
  for (const JobNode& node : nodes) facts.hosts[node.name] = {.cores = node.ranks, .threads = node.ranks};
  return true;
}

void use_slots(const CallerContext& caller, MpirunPlaces& places) {
  if (!caller.variable(kMpirunSlots) || !places.hosts.empty() || !RankClient::of(caller.environment)) return;
  const auto here =
      launcher_nodes({{"localhost", "", "", 1, 0, "", 0}}, {{kMpirunSlots, *caller.variable(kMpirunSlots)}});
  if (here.ok()) places.hosts.push_back({here->front().name, here->front().ranks});
}

std::vector<JobHost> hosts_of(const std::vector<JobNode>& nodes) {
  std::vector<JobHost> hosts;
  for (const JobNode& node : nodes) {
    JobHost host{node.name, node.address, node.loopback};
    host.machine.host = node.name;
    host.machine.cpus.resize(node.ranks);
    std::iota(host.machine.cpus.begin(), host.machine.cpus.end(), 0u);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace muster
