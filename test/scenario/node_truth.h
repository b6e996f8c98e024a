// What is true on one node of a job scenario, so that a report repeats all of it as an agent's does.
#pragma once

#include <map>

#include "core/machine/job/job.h"
#include "test/scenario/command.h"

namespace muster::scenario {

class NodeTruth {
 public:
  // A new agent dials: incarnations are 1, 2 … unless the command names one.
  Incarnation dial(const Command& command);

  // The command's words in order, over what was reported before: a phase or exit=STATUS is for all ranks of the
  // node, after rank=N for that one. `attempt` is the job's unless the command names one; another attempt than
  // before begins with every rank starting. quiet: every rank that had not exited was ended by SIGTERM; `quiet
  // early`: they are as they were.
  job::Reported report(const Command& command, NodeIndex node, const job::Rules& rules, TimePoint now, Attempt attempt);

 private:
  void begin(Attempt attempt, NodeIndex node, const job::Rules& rules);
  static ExitStatus exit_of(const std::string& text, const Command& command);
  void obey(const Command& command, TimePoint now);
  void set(RankPhase phase, const ExitStatus& exit, TimePoint now);

  Incarnation incarnation_ = 0;
  Attempt attempt_ = 0;
  std::map<uint32_t, job::RankFact> facts_;
  std::optional<uint32_t> only_;  // the rank words are about
};

}  // namespace muster::scenario
