// The guardian: the agent's parent, whose only task is that nothing of the agent survives it (docs/design/agent.md). It
// does not talk to anybody and decides nothing.
#pragma once

#include <functional>

namespace muster {

// Becomes a subreaper and the guardian, and forks the agent, which runs agent_main(guardian_gone_fd) and ends with
// its result by exit(3). In the guardian: returns when the agent has ended, however it did, and every process
// below it is killed and reaped, daemons included; the result is the agent's exit code, or 128 + its signal.
// SIGTERM and SIGINT sent to the guardian go on to the agent; SIGHUP is ignored by the guardian, the agent judges
// its own.
//
// `guardian_gone_fd` becomes readable (end of file) when the guardian died first; it stays the callee's. The agent
// then has to stop its ranks itself.
//
// Called first in `muster agent`: no thread may be running. Returns 125 when the system refuses the fork.
int run_guarded(const std::function<int(int guardian_gone_fd)>& agent_main);

}  // namespace muster
