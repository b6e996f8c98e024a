// SPDX-License-Identifier: Apache-2.0
// The setup of a node before any rank of its job starts there: parts of Bind and Report (agent_messages.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace muster {

// Commands that run once on a host, and a virtual environment that must exist after them. Without commands, the setup only checks
// that it exists.
struct SetupTask {
  std::vector<std::vector<std::string>> commands;
  std::map<std::string, std::string> environment;  // over Bind's; may hold secrets
  // Everything that the result depends on, except files on the node; contains no secret. A setup with the same identity is not
  // repeated.
  std::string identity;
  std::string venv;  // absolute, from ~, or from Bind::workdir; empty: none
  // The rank beside whose output the setup's output is written, and its path; relative with Bind::sends_output:
  // "JOB/attempt-1/worker-0.setup".
  Attempt attempt = 0;
  uint32_t index = 0;
  std::string output_path;
  std::string host;  // the node's name, for sentences
  // UUIDs of the node's GPUs, which are leased after the commands. Empty: ranks lease theirs when they start.
  std::vector<std::string> gpus;
  bool operator==(const SetupTask&) const = default;
};

// devices: the setup waits only for devices.
enum class SetupPhase { none, running, done, failed, devices };

// The state of the setup. A level, like all of a report.
struct SetupReport {
  SetupPhase phase = SetupPhase::none;
  // While it runs: "`pip install -r requirements.txt`"; empty: it is about to begin. In phase devices: who holds one.
  std::string doing;
  std::string failure;  // a sentence, once it has failed
  bool operator==(const SetupReport&) const = default;
};

}  // namespace muster
