// SPDX-License-Identifier: Apache-2.0
// run_until: runs a loop until a condition is true or a deadline passes. For tests, which wait for conditions and never
// sleep.
#pragma once

#include <functional>

#include "core/system/asio/asio_loop.h"

namespace muster {

// Whether `done` became true in time. Checks it before the first turn, after each turn, and every 5 ms, since changes of
// files by other processes do not wake the loop.
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
