// SPDX-License-Identifier: Apache-2.0
// AdaptivePoll: decides whether a call polls for its answer for some microseconds before it sleeps. If the agent has a CPU of
// its own, polling saves a third of a short call; if the agent needs the caller's CPU, polling costs as much. So both are
// tried from time to time, and the faster one is used. A value; one thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/time.h"

namespace muster::worker {

class AdaptivePoll {
 public:
  // Whether the next call should poll.
  bool next();
  // Reports the time that a call took, with or without polling.
  void took(bool polled, Duration time);

 private:
  uint32_t calls_ = 0;
  std::array<Duration, 2> lately_{};  // moving averages: of calls that slept at once, of calls that polled
};

}  // namespace muster::worker
