// SPDX-License-Identifier: Apache-2.0
// TimerQueue: timers in order of their time; equal times are in order of add(). Has no clock and no threads. Loop thread
// only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "core/port/loop.h"

namespace muster {

class TimerQueue {
 public:
  TimerId add(TimePoint when, std::function<void()> work);
  void cancel(TimerId timer);

  // The time of the next timer; nullopt: there is none.
  std::optional<TimePoint> next() const;

  // Removes and returns the first work that is due at `now`; an empty function if there is none.
  std::function<void()> take_due(TimePoint now);

 private:
  std::map<std::pair<TimePoint, TimerId>, std::function<void()>> waiting_;
  std::map<TimerId, TimePoint> times_;
  TimerId last_ = 0;
};

}  // namespace muster
