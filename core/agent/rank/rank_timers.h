// SPDX-License-Identifier: Apache-2.0
// RankTimers: the timers that processes of ranks have set with the file timer of torch.distributed.elastic
// (timer/file_based_local_timer.py, 2.15), read from the JSON lines that its client writes. It does not know which rank a
// process belongs to. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace muster {

struct TimerLine {
  int64_t pid = 0;
  std::string scope;
  std::optional<int64_t>
      expires;     // nanoseconds since the UNIX epoch, by the wall clock; nothing: the timer is released
  int signal = 0;  // sent to the process; 0: none
  bool operator==(const TimerLine&) const = default;
};

// Empty: the line is no valid timer. Never throws.
std::optional<TimerLine> parse_timer_line(std::string_view line);

struct ExpiredTimer {
  int64_t pid = 0;
  std::string scope;
  int signal = 0;
  bool operator==(const ExpiredTimer&) const = default;
};

class RankTimers {
 public:
  static constexpr size_t kMost = 16384;  // timers

  // `wall_nanos`: the wall clock at `now`. A timer that is set again replaces the earlier one. False: there are too many, and
  // this one is not kept.
  bool take(const TimerLine& line, TimePoint now, int64_t wall_nanos);

  // For each process with expired timers, returns the first one that has a signal. Then all timers of these processes are
  // removed, as torchrun does. Expired timers without a signal are only removed.
  std::vector<ExpiredTimer> expired(TimePoint now);

  // When the next timer expires.
  std::optional<TimePoint> next() const;

  // The process has ended.
  void forget(int64_t pid);
  std::vector<int64_t> processes() const;
  void clear() { timers_.clear(); }

 private:
  struct Timer {
    TimePoint over;
    int signal = 0;
  };
  std::map<std::pair<int64_t, std::string>, Timer> timers_;  // by process and scope
};

}  // namespace muster
