// `muster relay`: on a host that is reached over ssh, the way between an agent's socket and this program's stdio, which is the other
// end's link (core/port/host_link.h says how it ends). The agent is no part of it: it outlives the relay, and comes again to the next
// one of its tag. Never are there two agents of a tag.
#pragma once

#include <string>

#include "core/client/caller_context.h"

namespace muster {

enum class RelayTask {
  listen,  // starts the agent
  resume,  // for one that runs
  end,     // ends it, and all it runs, at once
};

int relay_main(const CallerContext& caller, RelayTask task, const std::string& tag);

}  // namespace muster
