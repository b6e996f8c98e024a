// SPDX-License-Identifier: Apache-2.0
// ProcessClock: wall-clock time that never goes back. It reads the wall clock once, at construction, and then uses a
// monotonic clock of the kernel (core/base/time.h says why). A value; any thread.
#pragma once

#include <ctime>

#include "core/base/time.h"

namespace muster {

enum class ClockSource {
  monotonic,  // stops while the machine sleeps: for a controller's timeouts
  boottime,   // continues while it sleeps: for agents, so that their lease has expired when the host wakes
              // (docs/design/liveness.md)
};

class ProcessClock {
 public:
  explicit ProcessClock(ClockSource source);

  TimePoint read() const;

  // `time` as a value of the kernel's clock `id()`, for timers. Times before the start of the machine become 1 ns.
  timespec kernel_time(TimePoint time) const;
  clockid_t id() const { return id_; }

 private:
  clockid_t id_;
  Duration offset_;  // from the UNIX epoch to the zero of the kernel's clock
};

}  // namespace muster
