// One of the agents' processes: `count` simulated agents over a few connections. It tells on stdout, a line each: "dialling NANOS",
// "past ATTEMPT NANOS" once all its ranks are past that attempt's barrier, and at the end of its standard input "messages COUNT", sent and
// received. A line on its standard input has its first rank fail: "failed NANOS".
// With a token they are pods of a job on Kubernetes, from FIRST on of its first group: they come by TLS.
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
