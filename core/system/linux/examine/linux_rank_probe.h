// LinuxRankProbe: looks at ranks in /proc. Where they stand is found out on a thread of its own (rank_examination.h), so that
// neither a large program nor a file that is slow to read holds up the agent. Those of one turn are a round; the next waits for its
// end.
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
  // An examination that is under way goes on, and is told nobody.
  ~LinuxRankProbe() override;

  RankSample look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) override;
  void examine(int64_t pid, Tell tell) override;

 private:
  struct Gate;
  struct Examination {
    pid_t pid = 0;
    Tell tell;
  };
  // What its look met, since one found it asleep.
  struct Rest {
    std::vector<RunRecord> met;
    bool asleep = false;
    TimePoint seen;
  };
  std::optional<ProcessStat> look_closely(pid_t pid, Rest& rest) const;
  Family family_of(pid_t pid);
  void forget_unseen();
  void begin_round();
  void found(size_t which, const RankLocation& standing, bool more);

  Loop& loop_;
  std::shared_ptr<Gate> gate_;
  std::vector<Examination> waiting_;
  std::vector<Examination> round_;  // under way
  size_t told_ = 0;                 // of the round: of whom no more is to come
  std::map<pid_t, Rest> rests_;
  ProcessStats table_;  // read in this turn
  std::optional<TimePoint> read_;
};

}  // namespace muster
