// The TCP ports that a node holds for one attempt of its job, as agent and coordinator speak of them. An agent leases them on its own
// node and reports them before any rank starts, so that ranks and services of other nodes can be told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster {

// How many TCP ports each owner needs, and which it has. An owner is a service, by NodeService::name(), or a rank, by rank_port_owner().
using PortCounts = std::map<std::string, uint32_t>;
using PortsByOwner = std::map<std::string, std::vector<uint16_t>>;

// `local_rank`: on its node, where it stays the same when other nodes come and go.
inline std::string rank_port_owner(uint32_t local_rank) { return "rank-" + std::to_string(local_rank); }

// Whether every owner has as many as it needs.
inline bool are_enough(const PortsByOwner& ports, const PortCounts& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const auto& need) {
    const auto found = ports.find(need.first);
    return need.second == 0 || (found != ports.end() && found->second.size() >= need.second);
  });
}

struct NodePorts {
  uint16_t meeting = 0;  // where ranks of the node's world may meet (MASTER_PORT); 0: none is available
  PortsByOwner by_owner;
  bool operator==(const NodePorts&) const = default;
};

}  // namespace muster
