// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/machine/queue/queue.h"

namespace muster::queue {
namespace {

Waiting waiting(const std::string& name, const Needs& needs, int seconds = 0) {
  Waiting job;
  job.name = name;
  job.needs = needs;
  job.submitted = TimePoint(std::chrono::seconds(seconds));
  return job;
}

constexpr Needs kTwoGpus{.gpus = 2};
constexpr Needs kOneSlot{.slots = 1};

TEST(HostTurns, WhoComesFirstIsBehindNobody) {
  EXPECT_EQ(HostTurns().behind(waiting("llm", kTwoGpus), {"a1", "a2"}), "");
}

TEST(HostTurns, WhoWantsTheSameOnAHostOfBothGoesBehind) {
  HostTurns turns;
  turns.wait(waiting("llm", kTwoGpus), {"a1", "a2"});
  EXPECT_EQ(turns.behind(waiting("bert", kTwoGpus, 1), {"a2", "a3"}), "llm, which was submitted earlier");
  EXPECT_EQ(turns.behind(waiting("bert", kTwoGpus, 1), {"a3"}), "") << "no host of both";
  EXPECT_EQ(turns.behind(waiting("eval", kOneSlot, 1), {"a2"}), "") << "slots are no GPUs";
  EXPECT_EQ(turns.behind(waiting("probe", {}, 1), {"a1"}), "") << "who needs nothing is in nobody's way";
}

TEST(HostTurns, WhyItGoesBehindIsSaid) {
  HostTurns turns;
  Waiting moved = waiting("moved", kOneSlot, 5);
  turns.wait(moved, {"a1"});
  EXPECT_EQ(turns.behind(waiting("older", kOneSlot, 1), {"a1"}), "moved, which is ahead in the queue");
  HostTurns urgent;
  moved.place.priority = 3;
  urgent.wait(moved, {"a1"});
  EXPECT_EQ(urgent.behind(waiting("older", kOneSlot, 1), {"a1"}), "moved, which has a higher priority");
}

}  // namespace
}  // namespace muster::queue
