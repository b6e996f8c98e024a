// SPDX-License-Identifier: Apache-2.0
// The state of one node in a job scenario. A report repeats all of it, as an agent's report does.
#pragma once

#include <map>

#include "core/machine/job/job.h"
#include "test/scenario/command.h"

namespace muster::scenario {

class NodeTruth {
 public:
  // A new agent connects. Incarnations are 1, 2 … unless the command names one.
  Incarnation dial(const Command& command);

  // Applies the command's words in order to the last report: a phase or exit=STATUS applies to all ranks of the node, or
  // after rank=N to that rank. `attempt` is the job's unless the command names one; a new attempt begins with every rank
  // starting. quiet: every rank that has not exited is ended by SIGTERM; `quiet early`: ranks stay as they are.
  job::Reported report(const Command& command, NodeIndex node, const job::Rules& rules, TimePoint now, Attempt attempt);

 private:
  void begin(Attempt attempt, NodeIndex node, const job::Rules& rules);
  static ExitStatus exit_of(const std::string& text, const Command& command);
  void execute(const Command& command, TimePoint now);
  void set(RankPhase phase, const ExitStatus& exit, TimePoint now);

  Incarnation incarnation_ = 0;
  Attempt attempt_ = 0;
  std::map<uint32_t, job::RankFact> facts_;
  std::optional<uint32_t> only_;  // the rank that the next words are about
};

}  // namespace muster::scenario
