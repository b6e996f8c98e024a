// JobEndpoints: where the services of an attempt listen, and where its nodes are reached. Loop thread only.
#pragma once

#include <optional>

#include "core/coordinator/coordinator_core.h"
#include "core/framework/framework.h"

namespace muster {

class JobEndpoints {
 public:
  explicit JobEndpoints(const JobContext& context) : context_(context) {}

  // The first node of each of the gang's groups hosts the group's service; journaled. False: one of them has yet to say which port
  // it holds, as after a takeover, or holds too few.
  bool choose(uint32_t gang, Attempt attempt);
  // Where the newest attempt of the node's gang runs.
  AttemptPlace place_of(NodeIndex node);
  // Backends are asked for the nodes' addresses anew.
  void forget_addresses() { addresses_.reset(); }

 private:
  const JobContext context_;
  std::optional<AttemptPlace> addresses_;  // of all nodes, while desired states are told
};

}  // namespace muster
