// SPDX-License-Identifier: Apache-2.0
// `muster relay`: runs on a host in an ssh session and copies bytes between an agent's socket and its own stdin and stdout, which ssh
// connects to the controller. core/port/host_link.h lists its exit codes and what it says on stderr. The agent outlives the relay and
// connects to the next relay of the same tag. A tag never has two agents.
#pragma once

#include <string>

#include "core/client/caller_context.h"

namespace muster {

enum class RelayTask {
  listen,  // start the agent
  resume,  // wait for an agent that runs already
  end,     // kill the agent and its ranks at once
  wake,    // continue the agent if a signal has stopped it
};

// `inside`: a rank of a job runs it, not ssh (docs/design/mpirun-inside-jobs.md). SIGTERM then ends the agent: its job is over. An agent that
// loses its relay without that waits for the next one, but not for long.
int relay_main(const CallerContext& caller, RelayTask task, const std::string& tag, bool inside);

}  // namespace muster
