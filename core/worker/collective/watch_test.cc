// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/watch.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "core/worker/collective/testing/hall.h"

namespace muster::worker {
namespace {

using namespace std::chrono_literals;
using testing::Hall;
using testing::ThreadMeeting;

// A call that ends before the watch has woken leaves the watch asleep. The next call must wake it.
TEST(Watch, ACallThatFollowsAQuickOneHasItsDeadline) {
  Hall hall(2);
  ThreadMeeting meeting(hall, 0);
  const Roster roster{"world", "c", {0, 1}, 0};
  for (int round = 0; round < 200; ++round) {
    std::promise<void> interrupted;
    Watch watch(meeting, roster, 2ms, [&] { interrupted.set_value(); });
    // Some of these calls find the watch asleep; which ones depends on the machine. On a loaded machine a quick call may be
    // preempted and exceed the deadline; such a round is not counted.
    bool overran = false;
    for (int quick = 1; quick < 100 + round && !overran; ++quick) {
      overran = watch.enter({Call{.number = 1}}) != Status();
      if (!overran) watch.leave(true);
      std::this_thread::yield();
    }
    overran = overran || watch.enter({Call{.number = 2}}) != Status();
    if (!overran) {
      ASSERT_EQ(interrupted.get_future().wait_for(20s), std::future_status::ready) << "in round " << round;
    }
    watch.stop();
    hall.remove("c/failed");
  }
}

// Rank 1's deadline passes a moment before this rank's: while this rank reads the others' progress, rank 1 has given up and
// removes its own.
class GivesUpFirst final : public ThreadMeeting {
 public:
  GivesUpFirst(Hall& hall, uint32_t rank) : ThreadMeeting(hall, rank), hall_(hall) {}
  Result<std::string> get(const std::string& key) override {
    if (key == "c/at/1" && std::chrono::steady_clock::now() >= deadline) {
      hall_.set("c/failed", std::to_string(static_cast<int>(Code::deadline_exceeded)) + " rank 2 has not called it");
      hall_.set(key, "|");
    }
    return hall_.get(key);
  }
  std::chrono::steady_clock::time_point deadline;  // of this rank

 private:
  Hall& hall_;
};

TEST(Watch, WhoGaveUpAMomentBeforeHasCome) {
  Hall hall(3);
  GivesUpFirst meeting(hall, 0);
  const Roster roster{"world", "c", {0, 1, 2}, 0};
  std::promise<void> interrupted;
  Watch watch(meeting, roster, 20ms, [&] { interrupted.set_value(); });
  meeting.deadline = std::chrono::steady_clock::now() + 20ms;
  ASSERT_EQ(watch.enter({Call{.number = 1}}), Status());
  ASSERT_EQ(interrupted.get_future().wait_for(20s), std::future_status::ready);
  EXPECT_EQ(watch.failure(), Status(Code::deadline_exceeded, "rank 2 has not called it"));
}

}  // namespace
}  // namespace muster::worker
