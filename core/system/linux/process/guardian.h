// SPDX-License-Identifier: Apache-2.0
// The guardian: the agent's parent. Its only task is to end every process that the agent leaves behind (docs/design/agent.md). It
// communicates with nobody and makes no decisions.
#pragma once

#include <functional>

#include "core/system/linux/terminal/kept_terminals.h"

namespace muster {

// Becomes a subreaper and the guardian, and forks the agent, which calls agent_main(guardian_gone_fd) and passes its
// result to exit(3). In the guardian, returns when the agent has ended in any way and every process below it,
// daemons included, is killed and reaped. The result is the agent's exit code, or 128 + its signal. The guardian passes
// SIGTERM and SIGINT that are sent to it on to the agent. It ignores SIGHUP; the agent handles
// its own.
//
// `guardian_gone_fd` becomes readable (end of file) if the guardian ends first; agent_main owns it. The agent
// must then stop its ranks itself.
//
// `terminals`: the guardian writes what the agent leaves in them; null: there are none.
//
// Call it first in `muster agent`: no other thread may run. Returns 125 if the system refuses the fork.
int run_guarded(const std::function<int(int guardian_gone_fd)>& agent_main, KeptTerminals* terminals = nullptr);

}  // namespace muster
