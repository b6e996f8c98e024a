// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/adaptive_poll.h"

#include <algorithm>

namespace muster::worker {
namespace {

// Calls are grouped in turns of this many. One of 16 turns tries the other kind; a single call would be influenced by the
// state in which the calls before left the CPUs.
constexpr uint32_t kTurn = 16;
// A longer time means that the caller was preempted; it is not counted.
constexpr Duration kLongest = std::chrono::microseconds(200);

}  // namespace

bool AdaptivePoll::next() {
  const bool better = lately_[1] < lately_[0];
  const bool other = calls_++ / kTurn % kTurn == 0;
  return better != other;
}

void AdaptivePoll::took(bool polled, Duration time) {
  Duration& lately = lately_[polled ? 1 : 0];
  lately += (std::min(time, kLongest) - lately) / 8;
}

}  // namespace muster::worker
