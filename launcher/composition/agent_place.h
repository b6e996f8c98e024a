// What an agent stands on that differs from place to place: behind a socket of this machine, or in a pod.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/agent.h"
#include "core/client/caller_context.h"
#include "core/system/machine/linux_machine_leases.h"

namespace muster {

class FdLoop;  // core/system/asio

struct AgentPlace {
  std::string socket;   // what is its own is named after this, and lies beside it (wire/paths.h)
  std::string folder;   // what its ranks print, where that travels
  std::string lessons;  // what programs were seen to import; empty: nothing is kept
  std::string leases = kMachineLeases;
  std::function<std::unique_ptr<CoordinatorDialer>(FdLoop&)> dialer;
  std::function<AgentSelf()> self;  // in the agent's own process
  std::function<void()> refresh = [] {};
  // By a signal to the agent.
  std::function<void(Agent&)> drain = [](Agent& agent) { agent.drain(std::chrono::seconds(30), "asked by a signal"); };
};

// Who this process is; its parent is the guardian.
AgentSelf agent_self(const CallerContext& caller);

// Until it leaves: what it was dismissed with; nothing: it was drained. In the agent's process (core/system/linux/process/guardian.h).
std::optional<Dismiss> run_agent(const AgentPlace& place, int guardian_gone_fd);

// What one that was killed left beside `socket`; `guardian` was its guardian's pid.
void remove_left_by_agent(const std::string& socket, int64_t guardian);

}  // namespace muster
