// LinuxRankProbe: looks at ranks in /proc. Where they stand is found out on a thread of its own, so that neither a large program
// nor a file that is slow to read holds up the agent; at most one at a time, the others wait. py-spy is asked for the Python
// stack where the rank's PATH, or ours, has it, torch's flight recorder how far it is in its collectives, and by the first rank of a node
// NCCL's RAS what it knows of all.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "core/adapter/linux/flight_recorder.h"
#include "core/adapter/linux/process_life.h"
#include "core/port/loop.h"
#include "core/port/rank_probe.h"

namespace muster {

class LinuxRankProbe final : public RankProbe {
 public:
  explicit LinuxRankProbe(Loop& loop);
  // An examination that is under way goes on, and is told nobody.
  ~LinuxRankProbe() override;

  Look look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) override;
  void examine(int64_t pid, Tell tell) override;

 private:
  struct Gate;
  struct Examination {
    int64_t pid = 0;
    Tell tell;
    std::shared_ptr<const FlightRecorder> recorder;  // asked at once, of all ranks together
  };
  void begin_next();
  void found(const Standing& standing, bool more);

  Loop& loop_;
  std::shared_ptr<Gate> gate_;
  std::deque<Examination> waiting_;  // the first is under way
  ProcessTable table_;               // read in this turn
  std::optional<TimePoint> read_;
};

}  // namespace muster
