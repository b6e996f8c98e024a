// SPDX-License-Identifier: Apache-2.0
// AgentPlace: the settings of an agent that depend on where it runs: on this machine or a host, or in a pod.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/agent.h"
#include "core/client/caller_context.h"
#include "core/system/linux/terminal/kept_terminals.h"
#include "core/system/machine/linux_machine_leases.h"

namespace muster {

class FdLoop;  // core/system/asio

struct AgentPlace {
  std::string socket;   // the agent's files are named after it and are in the same folder (core/client/connect/paths.h)
  std::string folder;   // output of its ranks, if it has to be uploaded
  std::string lessons;  // the modules that programs import first; empty: not kept
  std::string leases = kMachineLeases;
  // The words that start this program again, even if its file was replaced.
  std::vector<std::string> program = {"/proc/self/exe"};
  std::function<std::unique_ptr<CoordinatorDialer>(FdLoop&)> dialer;
  std::function<AgentSelf()> self;  // called in the agent's process
  std::function<void()> refresh = [] {};
  KeptTerminals* terminals = nullptr;  // shared with the guardian; null: ranks have no pseudo-terminals
  // Called on SIGTERM or SIGINT to the agent.
  std::function<void(Agent&)> drain = [](Agent& agent) { agent.drain(std::chrono::seconds(30), "asked by a signal"); };
};

// The identity of this process as an agent. Its parent process is the guardian.
AgentSelf agent_self(const CallerContext& caller);

// Runs until the agent ends. Returns its Dismiss message; nullopt if it was drained. Call it in the agent's process
// (core/system/linux/process/guardian.h).
std::optional<Dismiss> run_agent(const AgentPlace& place, int guardian_gone_fd);

// Removes the files of a killed agent beside `socket`. `guardian`: the pid of its guardian.
void remove_left_by_agent(const std::string& socket, int64_t guardian);

}  // namespace muster
