// SPDX-License-Identifier: Apache-2.0
// Signals to an agent that may be stopped (SIGSTOP). Loop thread only.
#pragma once

#include <csignal>

#include "core/port/machine_info.h"
#include "core/port/process_host.h"

namespace muster {

// The agent is in the process group of its guardian.
inline void resume_agent(ProcessHost& host, ProcessHandle guardian) {
  host.signal(guardian, SIGCONT, SignalReach::group);
}

// The guardian then ends the ranks.
inline void kill_agent(ProcessHost& host, ProcessHandle guardian, const ProcessIdentity& agent) {
  resume_agent(host, guardian);
  const Result<ProcessHandle> process = host.adopt(agent, [](const ExitStatus&) {});
  if (process.ok()) host.signal(*process, SIGKILL, SignalReach::group);
}

// For an agent that has no ranks and should exit by itself, which a stopped one cannot.
inline void help_leaving(ProcessHost& host, MachineInfo& machine, ProcessHandle guardian,
                         const ProcessIdentity& agent) {
  machine.is_stopped(agent) ? kill_agent(host, guardian, agent) : resume_agent(host, guardian);
}

}  // namespace muster
