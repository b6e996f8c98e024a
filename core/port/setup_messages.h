// What is done on a node before any rank of its job begins there, as coordinator and agent speak of it: part of Bind and Report
// (agent_messages.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace muster {

// Commands that are run once on a host, and a virtual environment that has to be there then. Where there are no commands it is
// only looked for.
struct SetupTask {
  std::vector<std::vector<std::string>> commands;
  std::map<std::string, std::string> environment;  // over Bind's; may hold secrets
  // All that what they make depends on, but for what lies on the node; no secret. Where it was done with the same, it is done.
  std::string identity;
  std::string venv;  // absolute, from ~, or from Bind::workdir; empty: none
  // Whose output theirs lies beside, and where; with Bind::sends_output relative: "JOB/attempt-1/worker-0.setup".
  Attempt attempt = 0;
  uint32_t index = 0;
  std::string output_path;
  std::string host;  // as people call the node, for sentences
  std::vector<std::string>
      gpus;  // UUIDs: the node's, which are leased behind all that. Empty: ranks lease theirs as they begin
  bool operator==(const SetupTask&) const = default;
};

// devices: they are waited for, and nothing else.
enum class SetupPhase { none, running, done, failed, devices };

// How it stands. A level, as all of a report.
struct SetupReport {
  SetupPhase phase = SetupPhase::none;
  std::string
      doing;  // while it runs: "`pip install -r requirements.txt`"; empty: it is about to begin. Of devices: who has one
  std::string failure;  // a sentence, once it has failed
  bool operator==(const SetupReport&) const = default;
};

}  // namespace muster
