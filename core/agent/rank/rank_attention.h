// RankAttention: an agent's attention to the ranks of its attempt: it has them watched (RankWatch), hears the timers that they set
// themselves (FileTimers) and ends a rank whose timer has expired. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/rank/file_timers.h"
#include "core/agent/rank/rank_set.h"
#include "core/agent/rank/rank_watch.h"
#include "core/base/log.h"

namespace muster {

struct RankAttentionPorts {
  Loop& loop;
  RankProbe& probe;
  TimerPipe& timers;
  Log& log;
};

class RankAttention {
 public:
  // `calls`: how often a rank of the attempt has called, which is a sign of life. `changed`: a report would differ.
  using Calls = std::function<uint64_t(uint32_t index)>;
  RankAttention(RankAttentionPorts ports, Calls calls, std::function<void()> changed);

  // Another attempt: `ranks`, which outlive the attention to them, are not watched before; null: there are none.
  void begin(RankSet* ranks);
  // Lets these ranks set timers: each gets the path of a pipe, where their environment asks for it. What hinders that; empty: nothing.
  std::string offer_timers(const Bind& bind, std::vector<RankTask>& tasks);

  // As wished, in every desired state of the attempt.
  void obey(const DesiredState& desired);
  // Once a second, and when the watch asks for it.
  void look();
  // Ranks that were found stopped by a signal go on, to hear of their end.
  void resume_stopped();
  // Adds what the watch knows.
  void tell(Report& report) const;

 private:
  void end_expired(const ExpiredTimer& timer);

  RankAttentionPorts ports_;
  const Calls calls_;
  RankSet* ranks_ = nullptr;
  RankWatch watch_;
  FileTimers timers_;
};

}  // namespace muster
