// SPDX-License-Identifier: Apache-2.0
// The task of a node's MPI services (core/node/pmix, core/node/pmi): the MPI world of the node's ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"

namespace muster {

// Prefix of every message of these services: "MPI on node-a: rank 3 called MPI_Comm_spawn, …".
constexpr std::string_view kMpiTrouble = "MPI on ";

struct MpiNode {
  std::string name;         // unique in the world
  std::vector<Rank> ranks;  // world ranks, ascending; not empty
  std::vector<uint32_t> apps =
      {};  // the number of each rank's program (MPI_APPNUM); empty: 0, the world has one program
  bool operator==(const MpiNode&) const = default;
};

struct MpiTask {
  std::string name_space;         // names the world; another one in each attempt
  std::vector<MpiNode> nodes;     // all nodes of the world that have ranks
  uint32_t node = 0;              // this node, as index of `nodes`
  std::vector<uint32_t> indices;  // plan indices of this node's ranks, in the order of nodes[node].ranks
  bool operator==(const MpiTask&) const = default;
};

}  // namespace muster
