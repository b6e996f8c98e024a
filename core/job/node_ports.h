// SPDX-License-Identifier: Apache-2.0
// The TCP ports of a node for one attempt of its job. The agent leases them on its node and reports them to the
// coordinator before any rank starts, so that ranks and services of other nodes get them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster {

// The number of TCP ports that each owner needs, and the ports that it has. An owner is a service (NodeService::name())
// or a rank (rank_port_owner()).
using PortCounts = std::map<std::string, uint32_t>;
using PortsByOwner = std::map<std::string, std::vector<uint16_t>>;

// Uses the local rank, because it does not change when other nodes join or leave.
inline std::string rank_port_owner(uint32_t local_rank) { return "rank-" + std::to_string(local_rank); }

// Whether every owner has as many as it needs.
inline bool are_enough(const PortsByOwner& ports, const PortCounts& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const auto& need) {
    const auto found = ports.find(need.first);
    return need.second == 0 || (found != ports.end() && found->second.size() >= need.second);
  });
}

struct NodePorts {
  uint16_t meeting = 0;  // where the ranks of the node's world can meet (MASTER_PORT); 0: no port is available
  PortsByOwner by_owner;
  bool operator==(const NodePorts&) const = default;
};

}  // namespace muster
