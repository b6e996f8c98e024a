// SPDX-License-Identifier: Apache-2.0
// LinuxRankProbe: samples ranks from /proc. Finds their locations on a separate thread (rank_examination.h), so that
// neither a large program nor a file that is slow to read blocks the agent. The ranks requested in one turn of the loop form a round;
// the next round starts when it ends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/port/loop.h"
#include "core/port/rank_probe.h"
#include "core/system/linux/examine/process_life.h"
#include "core/system/linux/examine/run_record.h"

namespace muster {

class LinuxRankProbe final : public RankProbe {
 public:
  explicit LinuxRankProbe(Loop& loop);
  // An examination in progress continues; its results are dropped.
  ~LinuxRankProbe() override;

  RankSample look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) override;
  void examine(int64_t pid, Tell tell) override;

 private:
  struct Gate;
  struct Examination {
    pid_t pid = 0;
    Tell tell;
  };
  // The processes that a sample visited, kept if it found the rank asleep.
  struct Rest {
    std::vector<RunRecord> met;
    bool asleep = false;
    TimePoint seen;
  };
  std::optional<ProcessStat> look_closely(pid_t pid, Rest& rest) const;
  Family family_of(pid_t pid);
  void forget_unseen();
  void begin_round();
  void found(size_t which, const RankLocation& location, bool more);

  Loop& loop_;
  std::shared_ptr<Gate> gate_;
  std::vector<Examination> waiting_;
  std::vector<Examination> round_;  // being examined
  size_t told_ = 0;                 // ranks of the round whose last result was reported
  std::map<pid_t, Rest> rests_;
  ProcessStats table_;  // read in the turn `read_`
  std::optional<TimePoint> read_;
};

}  // namespace muster
