// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/adaptive_poll.h"

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using std::chrono::microseconds;

// The number of calls that poll, if a polling call takes `looking` and another takes `sleeping`.
int polling_calls(AdaptivePoll& adaptive_poll, int calls, Duration looking, Duration sleeping) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const bool look = adaptive_poll.next();
    adaptive_poll.took(look, look ? looking : sleeping);
    count += look ? 1 : 0;
  }
  return count;
}

TEST(AdaptivePoll, DoesWhatTookLess) {
  AdaptivePoll adaptive_poll;
  EXPECT_GT(polling_calls(adaptive_poll, 1600, microseconds(7), microseconds(10)), 1400);
}

TEST(AdaptivePoll, ChangesItsMindWithTheMachine) {
  AdaptivePoll adaptive_poll;
  polling_calls(adaptive_poll, 1600, microseconds(7), microseconds(10));
  EXPECT_LT(polling_calls(adaptive_poll, 1600, microseconds(20), microseconds(10)), 200);
  EXPECT_GT(polling_calls(adaptive_poll, 1600, microseconds(7), microseconds(10)), 1000);
}

TEST(AdaptivePoll, OneCallThatWasPutAsideDoesNotDecide) {
  AdaptivePoll adaptive_poll;
  polling_calls(adaptive_poll, 1600, microseconds(7), microseconds(10));
  adaptive_poll.took(true, std::chrono::seconds(1));
  EXPECT_GT(polling_calls(adaptive_poll, 1600, microseconds(7), microseconds(10)), 1000);
}

}  // namespace
}  // namespace muster::worker
