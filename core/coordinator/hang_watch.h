// SPDX-License-Identifier: Apache-2.0
// HangWatch: passes what agents report about their ranks to the watchdog (core/machine/watchdog), and the watchdog's findings to
// the job machine as events. Loop thread only.
#pragma once

#include <deque>
#include <vector>

#include "core/coordinator/job_gangs.h"
#include "core/machine/watchdog/gang.h"
#include "core/machine/watchdog/pace.h"

namespace muster {

class HangWatch {
 public:
  HangWatch(const JobContext& context, const JobGangs& gangs);

  void heard(NodeIndex node, const Report& report);
  // Call it with every heartbeat. Time counts only while all ranks of the gang run and all its nodes report.
  void beat();
  // Whether the node's agent should examine its ranks in that attempt.
  bool examines(NodeIndex node, Attempt attempt) const;
  // Adds the pace of each rank.
  void add_to(JobView& view) const;

 private:
  struct Gang {
    watchdog::GangState seen;
    watchdog::Pace pace;
    bool examine = false;  // agents should examine their ranks
  };

  void beat(uint32_t gang);
  void note_open_barrier(uint32_t gang);
  void judge(uint32_t gang);
  std::vector<job::Judged> over(uint32_t gang, const std::vector<job::Judged>& findings) const;

  const JobContext context_;
  const JobGangs& gangs_;
  std::deque<Gang> watched_;  // by gang
};

}  // namespace muster
