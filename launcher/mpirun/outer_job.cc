// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/outer_job.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

// A group of a launcher has a world of its own, so its size says nothing about the job.
bool may_have_other_nodes(const CallerContext& caller) {
  return caller.variable(kMpirunGroups) ||
         caller.variable("MUSTER_WORLD_SIZE") != caller.variable("MUSTER_LOCAL_WORLD_SIZE");
}

// The node that a pod's name means, with or without its domain: the MPI operator names pods JOB-worker-0, JobSet names them
// JOB-GROUP-0-0. Null: none.
const JobNode* node_of_pod(const std::vector<JobNode>& nodes, const std::string& job, const std::string& host) {
  const std::string label = host.substr(0, host.find('.'));
  // muster may have added a number to the job's name.
  const auto is_job = [&](const std::string& name) {
    if (name == job) return true;
    const bool added = !name.empty() && job.starts_with(name + "-") && job.size() > name.size() + 1;
    return added && job.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
  };
  std::map<std::string, size_t> before;  // nodes of each group
  for (const JobNode& node : nodes) {
    const std::string index = std::to_string(before[node.group]++);
    for (const std::string& end : {"-" + node.group + "-" + index, "-" + node.group + "-0-" + index}) {
      if (label.ends_with(end) && is_job(label.substr(0, label.size() - end.size()))) return &node;
    }
  }
  return nullptr;
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

bool use_nodes(const std::vector<JobNode>& nodes, const std::string& job, MpirunPlaces& places, MpirunFacts& facts) {
  std::vector<MpirunHost> hosts = places.hosts;
  for (MpirunHost& host : hosts) {
    const auto named =
        std::find_if(nodes.begin(), nodes.end(), [&](const JobNode& node) { return node.name == host.name; });
    const JobNode* node = named != nodes.end() ? &*named : node_of_pod(nodes, job, host.name);
    if (node == nullptr) return false;
    host.name = node->name;
  }
  places.hosts = std::move(hosts);
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
