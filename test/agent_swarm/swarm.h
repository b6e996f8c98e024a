// One of the agents' processes: `count` simulated agents over a few connections. It tells on stdout, a line each: "dialling NANOS",
// "past ATTEMPT NANOS" once all its ranks are past that attempt's barrier, and at the end of its standard input "messages COUNT", sent and
// received. A line on its standard input has its first rank fail: "failed NANOS".
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace muster::agent_swarm {

struct SwarmChoice {
  uint16_t port = 0;
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t connections = 1;
};
Status swarm(const SwarmChoice& choice);

}  // namespace muster::agent_swarm
