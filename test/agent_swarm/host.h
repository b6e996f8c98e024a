// SPDX-License-Identifier: Apache-2.0
// The coordinator's process: one job of `nodes` nodes with one rank each, its journal in the state folder `state`, listening on a
// TCP port of loopback. Prints one line per event to stdout: "port N", "running ATTEMPT NANOS". For each line on stdin it prints
// "bytes SENT RECEIVED" of its connections and "memory KIB KIB" (before the first agent, and now). Returns at the end of stdin.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster::agent_swarm {

Status host(const std::string& state, uint32_t nodes);

}  // namespace muster::agent_swarm
