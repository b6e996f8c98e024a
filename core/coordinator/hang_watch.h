// HangWatch: what agents see of their ranks becomes verdicts (core/machine/watchdog), and those the job machine's events. Loop thread
// only.
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
  // Time counts where every rank was there to be watched, and every node told of its own.
  void beat();
  // Whether the node's agent is to examine its ranks in that attempt.
  bool examines(NodeIndex node, Attempt attempt) const;
  // The pace of each rank.
  void add_to(JobView& view) const;

 private:
  struct Gang {
    watchdog::GangState seen;
    watchdog::Pace pace;
    bool examine = false;  // what agents are wished
  };

  void beat(uint32_t gang);
  void note_open_barrier(uint32_t gang);
  void judge(uint32_t gang);
  std::vector<job::Judged> over(uint32_t gang, const std::vector<job::Judged>& standing) const;

  const JobContext context_;
  const JobGangs& gangs_;
  std::deque<Gang> watched_;  // by gang
};

}  // namespace muster
