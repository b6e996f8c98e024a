// The coordinator's process: one job of `nodes` nodes with a rank each, its journal in a state folder, its door a TCP port of the loopback.
// It tells on stdout when what was reached, a line each: "port N", "running ATTEMPT NANOS"; for a line on its standard input "bytes SENT
// RECEIVED" of its connections and "memory KIB KIB", before the first agent and now. It ends with its standard input.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster::agent_swarm {

Status host(const std::string& state, uint32_t nodes);

}  // namespace muster::agent_swarm
