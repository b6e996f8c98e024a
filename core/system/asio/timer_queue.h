// TimerQueue: which work is due when, in order of time and then of asking. No clock and no threads. Loop thread
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

  // When the next work is due; none when nothing waits.
  std::optional<TimePoint> next() const;

  // Takes the first work that is due at `now`; an empty function when none is.
  std::function<void()> take_due(TimePoint now);

 private:
  std::map<std::pair<TimePoint, TimerId>, std::function<void()>> waiting_;
  std::map<TimerId, TimePoint> times_;
  TimerId last_ = 0;
};

}  // namespace muster
