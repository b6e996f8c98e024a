// SPDX-License-Identifier: Apache-2.0
// RankAttention: watches the ranks of an agent's attempt. It samples them (RankWatch), reads the timers that they set themselves
// (FileTimers), and ends a rank whose timer has expired. Loop thread only.
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
  // `calls` returns the number of libmuster calls that a rank has made in the attempt; a call counts as activity. `changed` is
  // called when the report would differ.
  using Calls = std::function<uint64_t(uint32_t index)>;
  RankAttention(RankAttentionPorts ports, Calls calls, std::function<void()> changed);

  // An attempt starts. `ranks` must outlive their use here; null: there are none.
  void begin(RankSet* ranks);
  // Gives the tasks a pipe for file timers, if their environment asks for one. Returns why that failed; empty: it did not fail.
  std::string offer_timers(const Bind& bind, std::vector<RankTask>& tasks);

  // Applies the settings in each desired state of the attempt.
  void obey(const DesiredState& desired);
  // Samples the ranks: once a second, and when the watch asks for it.
  void look();
  // Sends SIGCONT to ranks that were found stopped by a signal, so that they can react to the end of the attempt.
  void resume_stopped();
  // Adds findings, activity and locations to the report.
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
