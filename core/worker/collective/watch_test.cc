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

// A call that ends before the watch has woken for it leaves the watch asleep; the next must wake it all the same.
TEST(Watch, ACallThatFollowsAQuickOneHasItsDeadline) {
  Hall hall(2);
  ThreadMeeting meeting(hall, 0);
  const Roster roster{"world", "c", {0, 1}, 0};
  for (int round = 0; round < 200; ++round) {
    std::promise<void> interrupted;
    Watch watch(meeting, roster, 2ms, [&] { interrupted.set_value(); });
    // A few of these find it asleep; which, depends on the machine.
    for (int quick = 1; quick < 100 + round; ++quick) {
      ASSERT_EQ(watch.enter({Call{.number = 1}}), Status());
      watch.leave(true);
      std::this_thread::yield();
    }
    ASSERT_EQ(watch.enter({Call{.number = 2}}), Status());
    ASSERT_EQ(interrupted.get_future().wait_for(20s), std::future_status::ready) << "in round " << round;
    watch.stop();
    hall.remove("c/failed");
  }
}

}  // namespace
}  // namespace muster::worker
