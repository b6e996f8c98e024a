// Loop: the one thread that owns a process's state, and its time. Not a thread pool: work runs in order, one at a
// time, and never blocks.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/time.h"

namespace muster {

using TimerId = uint64_t;  // 0 names no timer

class Loop {
 public:
  virtual ~Loop() = default;

  // Stands still within a turn; never goes back. Loop thread only.
  virtual TimePoint now() const = 0;

  // Runs `work` on the loop, in the order of posting. Any thread; the only call that is.
  virtual void post(std::function<void()> work) = 0;

  // Runs `work` once at `when`, or in the next turn when that is past. Loop thread only.
  virtual TimerId at(TimePoint when, std::function<void()> work) = 0;

  // After it the timer's work does not run. Unknown and fired timers are fine. Loop thread only.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace muster
