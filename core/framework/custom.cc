// SPDX-License-Identifier: Apache-2.0
// `framework: custom`: the values of the placeholders in templates of the job file.
#include "core/base/text.h"
#include "core/framework/world_place.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

std::optional<std::string> port_of(const RankPlace& view, const PlannedRank& rank, uint32_t number) {
  const auto port = leased_port(view.place, rank.node, rank_port_owner(rank.local_rank), number);
  return port ? std::optional(std::to_string(*port)) : std::nullopt;
}

// In rank order.
std::optional<std::string> peers_of(const RankPlace& view) {
  std::map<uint32_t, std::string> peers;
  for (const PlannedRank& rank : view.plan.ranks) {
    if (view.spec.world != World::shared && rank.group != view.rank.group) continue;
    const auto port = leased_port(view.place, rank.node, rank_port_owner(rank.local_rank), 1);
    if (!port || rank.node >= view.place.addresses.size()) return std::nullopt;
    peers[rank.world_rank] = host_port(view.place.addresses[rank.node], *port);
  }
  std::string list;
  for (const auto& [rank, peer] : peers) list += (list.empty() ? "" : ",") + peer;
  return list;
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
  if (word == "nodes") return std::to_string(view.plan.nodes.size());
  if (word == "host") return view.plan.nodes[rank.node].host;
  if (word == "address") return node_address(view).value_or("");
  if (word == "master_address") return world_endpoint(view).address;
  if (word == "master_port") return std::to_string(world_endpoint(view).port);
  if (const uint32_t number = port_of_word(word); number > 0) return port_of(view, rank, number);
  if (word == "peers") return peers_of(view);
  if (word == "attempt") return std::to_string(view.place.attempt);
  if (word == "restarts") return std::to_string(view.place.restarts);
  if (word == "job") return view.place.job_name;
  if (word == "job_id") return view.place.job.text();
  return std::nullopt;
}

}  // namespace muster
