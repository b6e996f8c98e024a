// SPDX-License-Identifier: Apache-2.0
// GPUs of hosts that several controllers use: leased before ranks start, and released if two jobs would wait for each other.
#include "core/agent/provision/device_hold.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"
#include "test/sim/sim_ports.h"

namespace muster::sim {
namespace {

constexpr Duration kMinute = std::chrono::minutes(1);

class Devices : public testing::Test {
 protected:
  std::unique_ptr<DeviceHold> hold(SimLeases& host, uint64_t seed) {
    auto made = std::make_unique<DeviceHold>(loop, host, std::vector<std::string>{"GPU-1", "GPU-2"}, seed,
                                             [this] { ++changes; });
    made->start();
    return made;
  }

  SimLoop loop;
  SimLeases one;
  SimLeases two;
  int changes = 0;
};

TEST_F(Devices, WhoComesSecondSaysWhoHasThemAndHasThemThen) {
  auto first = hold(one, 1);
  EXPECT_TRUE(first->held());
  first->use();
  const auto second = hold(one, 2);
  loop.run_for(kMinute);
  EXPECT_FALSE(second->held());
  EXPECT_EQ(second->waits_for(), "GPU-1 is held by process 4711");
  EXPECT_EQ(changes, 2) << "nothing changed all the while";
  first.reset();
  EXPECT_TRUE(loop.run_until([&] { return second->held(); }, kMinute));
  EXPECT_EQ(second->waits_for(), "");
}

TEST_F(Devices, TwoThatEachHaveWhatTheOtherNeedsDoNotWaitForever) {
  for (uint64_t seed = 1; seed < 100; ++seed) {
    const auto a1 = hold(one, seed);
    const auto b2 = hold(two, seed + 1000);
    const auto a2 = hold(two, seed + 2000);
    const auto b1 = hold(one, seed + 3000);
    EXPECT_TRUE(a1->held() && b2->held() && !a2->held() && !b1->held());
    const auto one_has_all = [&] { return (a1->held() && a2->held()) || (b1->held() && b2->held()); };
    EXPECT_TRUE(loop.run_until(one_has_all, kMinute)) << seed;
  }
}

TEST_F(Devices, TwoThatWaitForAThirdGiveWayEverLessOften) {
  const auto third = hold(two, 1);
  third->use();
  const auto a = hold(one, 2);
  const auto b = hold(one, 3);
  const auto turns_of_an_hour = [&] {
    const int before = changes;
    loop.run_for(60 * kMinute);
    return changes - before;
  };
  turns_of_an_hour();
  EXPECT_LT(turns_of_an_hour(), 60) << "each is an event of a job";
  EXPECT_TRUE(a->held() || b->held());
}

TEST_F(Devices, WhoIsNotInAnybodysWayKeepsThem) {
  const auto alone = hold(one, 1);
  const int before = changes;
  loop.run_for(kMinute);
  EXPECT_TRUE(alone->held());
  EXPECT_EQ(changes, before);
  EXPECT_EQ(one.held().count("want-GPU-1"), 0u);
}

}  // namespace
}  // namespace muster::sim
