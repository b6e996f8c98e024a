// ProcessClock: the wall clock, read once when it is made, and a clock of the kernel that never goes back from
// then on (base/time.h says why). A value; any thread.
#pragma once

#include <ctime>

#include "core/base/time.h"

namespace muster {

enum class ClockSource {
  monotonic,  // stands still while the machine sleeps: a controller's patience
  boottime,   // goes on while it sleeps: agents, so that a host that wakes sees its lease ended (DESIGN.md §5)
};

class ProcessClock {
 public:
  explicit ProcessClock(ClockSource source);

  TimePoint read() const;

  // `time` on the kernel's clock `id()`, for timers. Times before the machine's start become 1 ns after it.
  timespec kernel_time(TimePoint time) const;
  clockid_t id() const { return id_; }

 private:
  clockid_t id_;
  Duration offset_;  // between the UNIX epoch and the kernel clock's
};

}  // namespace muster
