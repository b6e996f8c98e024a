#include "core/worker/client/adaptive_poll.h"

#include <algorithm>

namespace muster::worker {
namespace {

// Of 16 turns of so many calls one is of the other kind: a single call would find the CPUs as the kind before left
// them.
constexpr uint32_t kTurn = 16;
// A caller that was put aside for longer says nothing about answers.
constexpr Duration kLongest = std::chrono::microseconds(200);

}  // namespace

bool AdaptivePoll::next() {
  const bool better = lately_[1] < lately_[0];
  const bool other = calls_++ / kTurn % kTurn == 0;
  return better != other;
}

void AdaptivePoll::took(bool looked, Duration time) {
  Duration& lately = lately_[looked ? 1 : 0];
  lately += (std::min(time, kLongest) - lately) / 8;
}

}  // namespace muster::worker
