// `framework: custom`: a table of templates in the job file.
#include "core/framework/world_place.h"

namespace muster {

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
  if (word == "attempt") return std::to_string(view.place.attempt);
  if (word == "restarts") return std::to_string(view.place.restarts);
  if (word == "job") return view.place.job_name;
  if (word == "job_id") return view.place.job.text();
  return std::nullopt;
}

}  // namespace muster
