// SPDX-License-Identifier: Apache-2.0
// `framework: custom`: the values of the placeholders in templates of the job file.
#include <map>

#include "core/base/text.h"
#include "core/framework/world_place.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

std::optional<std::string> port_of(const RankPlace& view, const PlannedRank& rank, uint32_t number) {
  const auto port = leased_port(view.place, rank.node, rank_port_owner(rank.local_rank), number);
  return port ? std::optional(std::to_string(*port)) : std::nullopt;
}

std::optional<std::string> peers_of(const RankPlace& view) {
  const auto peers = world_endpoints(view);
  if (!peers) return std::nullopt;
  std::string list;
  for (const std::string& peer : *peers) list += (list.empty() ? "" : ",") + peer;
  return list;
}

// nullopt: an address is not known yet.
std::optional<std::string> worker_addresses(const RankPlace& view) {
  std::map<uint32_t, std::string> by_rank;
  for (const PlannedRank& rank : view.plan.ranks) {
    const bool same_world = view.spec.world == World::shared || rank.group == view.rank.group;
    if (!same_world || rank.world_rank == 0) continue;
    if (rank.node >= view.place.addresses.size()) return std::nullopt;
    by_rank[rank.world_rank] = view.place.addresses[rank.node];
  }
  std::vector<std::string> addresses;
  for (const auto& [rank, address] : by_rank) addresses.push_back(address);
  return join(addresses, ",");
}

}  // namespace

std::optional<std::string> template_value(const RankPlace& view, std::string_view word) {
  const PlannedRank& rank = view.rank;
  if (word == "rank") return std::to_string(rank.world_rank);
  if (word == "world_size") return std::to_string(rank.world_size);
  if (word == "local_rank") return std::to_string(rank.local_rank);
  if (word == "local_size") return std::to_string(rank.local_size);
  if (word == "group") return view.spec.groups[rank.group].name;
  if (word == "group_rank") return std::to_string(rank.rank);
  if (word == "node") return std::to_string(rank.node);
  if (word == "group_node") return std::to_string(rank.group_node);
  if (const auto part = part_of_group_node(word, rank.group_node)) return std::to_string(*part);
  if (word == "nodes") return std::to_string(view.plan.nodes.size());
  if (word == "host") return view.plan.nodes[rank.node].host;
  if (word == "address") return node_address(view).value_or("");
  if (word == "master_address") return world_endpoint(view).address;
  if (word == "master_port") return std::to_string(world_endpoint(view).port);
  if (const uint32_t number = port_of_word(word); number > 0) return port_of(view, rank, number);
  if (word == "peers") return peers_of(view);
  if (word == "worker_addresses") return worker_addresses(view);
  if (word == "attempt") return std::to_string(view.place.attempt);
  if (word == "restarts") return std::to_string(view.place.restarts);
  if (word == "job") return view.place.job_name;
  if (word == "job_id") return view.place.job.text();
  return std::nullopt;
}

// Its ranks wait for it if its command names the port at which it listens.
std::optional<ServiceProgram> custom_service(const RankPlace& view) {
  if (view.spec.service.empty()) return std::nullopt;
  ServiceProgram program{"the command of `service`", "", {}, {}};
  for (const std::string& word : view.spec.service) {
    if (word.find("${master_port}") != std::string::npos) program.here = world_endpoint(view);
    program.argv.push_back(fill_template(word, [&](std::string_view name) { return template_value(view, name); }));
  }
  return program;
}

}  // namespace muster
