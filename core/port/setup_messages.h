// SPDX-License-Identifier: Apache-2.0
// The setup of a node before any rank of its job starts there: parts of Bind and Report (agent_messages.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/job/image/in_image.h"

namespace muster {

// The image in which setup and ranks of a node run.
struct ContainerTask {
  std::string image;  // as the job names it; a relative path is relative to Bind::workdir
  ContainerProgram program = ContainerProgram::automatic;
  std::vector<ContainerMount> mounts;        // besides the working folder and those of every container
  bool gpus = false;                         // ranks of the node use GPUs
  std::map<std::string, std::string> files;  // InImageSpec::files
  bool operator==(const ContainerTask&) const = default;
};

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
  std::optional<ContainerTask> container;  // opened before the commands; nothing: all run on the host
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
