// run_until: turns of a loop until something is true, or a deadline. For tests, which wait for conditions and
// never sleep.
#pragma once

#include <functional>

#include "core/system/asio/asio_loop.h"

namespace muster {

// Whether `done` became true in time; asked before the first turn and after each, and every few milliseconds, since what others do to files
// wakes no loop.
template <typename Done>
bool run_until(AsioLoop& loop, Done done, Duration limit = std::chrono::seconds(60)) {
  bool late = false;
  const TimerId deadline = loop.at(ProcessClock(ClockSource::monotonic).read() + limit, [&late] { late = true; });
  TimerId look = 0;
  const std::function<void()> again = [&] { look = loop.at(loop.now() + std::chrono::milliseconds(5), again); };
  again();
  while (!done() && !late) loop.run_one();
  loop.cancel(look);
  loop.cancel(deadline);
  return done();
}

}  // namespace muster
