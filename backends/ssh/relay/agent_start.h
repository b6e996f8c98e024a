// How an agent begins on a host whose ssh session it is to outlive.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// Of the ssh session's environment what is the account's: without what speaks of the session, which ends before the agent.
std::vector<std::string> environment_of_agents(const std::map<std::string, std::string>& session);

// Starts `muster agent` in a session of its own, `stdin` as its stdin. The guardian's pid.
Result<pid_t> start_agent(const CallerContext& caller, const std::string& socket, const UniqueFd& stdin_of_agent);

}  // namespace muster
