// AdaptivePoll: whether callers look for their answer for some microseconds before they sleep. It saves waking up, a third of
// a short call, where the agent has a CPU of its own; where it waits for the caller's it costs as much. So both are
// tried again and again, and what took less is done. A value; one thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/time.h"

namespace muster::worker {

class AdaptivePoll {
 public:
  // Whether the next call is to look.
  bool next();
  // What a call took that did or did not.
  void took(bool looked, Duration time);

 private:
  uint32_t calls_ = 0;
  std::array<Duration, 2> lately_{};  // moving averages: of those that slept at once, of those that looked
};

}  // namespace muster::worker
