// SPDX-License-Identifier: Apache-2.0
// Starts an agent that outlives the ssh session it is started from.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// The environment of the ssh session without the variables that describe the session, because the session ends before the agent. If the
// relay was started inside a job, also without those of that job's launcher.
std::vector<std::string> environment_of_agents(const std::map<std::string, std::string>& session);

// Starts `muster agent` in a new session (setsid) with `stdin_of_agent` as its stdin. `inside`: as in relay.h. Returns the guardian's pid.
Result<pid_t> start_agent(const CallerContext& caller, const std::string& socket, const UniqueFd& stdin_of_agent,
                          bool inside);

}  // namespace muster
