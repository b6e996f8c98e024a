// SPDX-License-Identifier: Apache-2.0
// JobEndpoints: the addresses and ports on which the services of an attempt listen, and the addresses of its nodes. Loop thread
// only.
#pragma once

#include <optional>

#include "core/coordinator/coordinator_core.h"
#include "core/framework/framework.h"

namespace muster {

class JobEndpoints {
 public:
  explicit JobEndpoints(const JobContext& context) : context_(context) {}

  // Chooses the endpoints of an attempt and journals them. The first node of each group in the gang hosts the group's service.
  // False: a node has not reported its ports yet, as after a takeover, or has too few.
  bool choose(uint32_t gang, Attempt attempt);
  // Whether each node of the gang has reported the ports that its ranks and services need.
  bool are_reported(uint32_t gang) const;
  // Endpoints and addresses of the newest attempt of the node's gang.
  AttemptPlace place_of(NodeIndex node);
  // The backend is asked again for the addresses of the nodes.
  void forget_addresses() { addresses_.reset(); }

 private:
  const JobContext context_;
  std::optional<AttemptPlace> addresses_;  // of all nodes, while desired states are sent
};

}  // namespace muster
