// SPDX-License-Identifier: Apache-2.0
// One of the agents' processes: `count` simulated agents over a few connections. Prints one line per event to stdout:
// "dialling NANOS", "past ATTEMPT NANOS" when all its ranks have passed that attempt's barrier, and at the end of stdin
// "messages COUNT" (sent and received). For a line on stdin its first rank fails, and it prints "failed NANOS".
// With a token the agents are pods of a Kubernetes job: numbers `first` onwards of its first group, connected by TLS.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster::agent_swarm {

struct SwarmChoice {
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  std::string token = {};
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t connections = 1;
};
Status swarm(const SwarmChoice& choice);

}  // namespace muster::agent_swarm
