// SPDX-License-Identifier: Apache-2.0
// JobNode: a node of a running job, as its ranks can ask for it. Values; pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

// A rank that gets this key from the rendezvous of its job gets the nodes of the job that have ranks, as nodes_to_json() writes them. If
// all ranks of the job are on one node, the key does not exist. No rank can set it.
constexpr std::string_view kJobNodesKey = "muster/nodes";

struct JobNode {
  std::string name;         // unique in the job
  std::string address;      // numeric; where the other nodes reach it
  std::string loopback;     // the name for 127.0.0.1 on this node
  uint32_t ranks = 0;       // of the job on this node
  uint32_t first_rank = 0;  // one of them, as an index into the plan
  std::string group;        // its name in the job
  uint32_t attempt = 0;     // of its ranks
  bool operator==(const JobNode&) const = default;
};

// A JSON array in one line.
std::string nodes_to_json(const std::vector<JobNode>& nodes);

// invalid_argument if nodes_to_json did not write the text.
Result<std::vector<JobNode>> nodes_from_json(std::string_view text);

// The nodes on which a launcher with these variables starts ranks (launcher_variables.h), with its slots as `ranks`. invalid_argument: a
// variable is wrong, or no node is in its groups.
Result<std::vector<JobNode>> launcher_nodes(const std::vector<JobNode>& nodes,
                                            const std::map<std::string, std::string>& variables);

}  // namespace muster
