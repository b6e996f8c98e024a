// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/rank.h"

#include <gtest/gtest.h>

namespace muster::watchdog {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = RankFinding::Kind;

class RankWatchdog : public testing::Test {
 protected:
  void sample(char state, uint64_t runs = 0, std::optional<RankActivity> life = {}) {
    state_ = step(std::move(state_), now_, {state, runs, life});
  }
  // Samples every second that show `state` and, when a full one is due, unchanged activity.
  void pass(Duration time, char state = 'S', uint64_t runs = 0) {
    for (const TimePoint end = now_ + time; now_ < end;) {
      now_ += seconds(1);
      sample(state, runs, thorough_due(state_, now_) ? std::optional(life_) : std::nullopt);
    }
  }
  std::optional<Kind> found() const {
    const auto finding = watchdog::finding(state_);
    return finding ? std::optional(finding->kind) : std::nullopt;
  }

  RankState state_;
  RankActivity life_{seconds(5), 1000, 10, 7, 0};
  TimePoint now_ = from_unix_nanos(0) + seconds(100);
};

TEST_F(RankWatchdog, AStopInTwoLooksIsSure) {
  sample('S');
  now_ += seconds(1);
  sample('T', 40);
  const TimePoint stopped = now_;
  EXPECT_FALSE(found());
  EXPECT_TRUE(suspects(state_));
  now_ += kSecondLook;
  sample('T', 40);
  EXPECT_EQ(finding(state_), (RankFinding{Kind::stopped, stopped}));
  EXPECT_FALSE(suspects(state_));
  now_ += seconds(1);
  sample('S');
  EXPECT_FALSE(found());
}

// cpulimit and similar programs: state T in every sample, but the process ran in between.
TEST_F(RankWatchdog, ALimiterIsNoStop) {
  for (uint64_t runs = 0; runs < 100; ++runs) {
    sample('T', runs);
    now_ += milliseconds(500);
    EXPECT_FALSE(found());
  }
}

TEST_F(RankWatchdog, ADebuggerIsNoStop) {
  pass(minutes(30), 't');
  EXPECT_FALSE(found());
  EXPECT_LT(state_.still, seconds(1));
}

TEST_F(RankWatchdog, TwoLooksAtOnceAreOne) {
  sample('T', 1);
  sample('T', 1);
  EXPECT_FALSE(found());
}

// A checkpoint may wait for its disk: in_io at first, stuck only after a minute without any progress.
TEST_F(RankWatchdog, AWaitInTheKernelIsToldAndStuckAfterAMinute) {
  pass(seconds(3), 'D', 9);
  EXPECT_EQ(found(), Kind::in_io);
  pass(seconds(50), 'D', 9);
  EXPECT_EQ(found(), Kind::in_io);
  pass(seconds(15), 'D', 9);
  EXPECT_EQ(found(), Kind::stuck);
}

TEST_F(RankWatchdog, AWaitThatReturnsBeginsAnew) {
  for (uint64_t runs = 0; runs < 10; ++runs) pass(seconds(30), 'D', runs);
  EXPECT_EQ(found(), Kind::in_io);
}

TEST_F(RankWatchdog, SilenceGrowsBeatByBeat) {
  pass(minutes(5));
  EXPECT_GT(state_.silent, minutes(4));
  EXPECT_EQ(state_.silent, state_.still);
}

// hangs.after: 6s, and a rank that prints every 4 s.
TEST_F(RankWatchdog, WhoIsToBeSilentOnlyBrieflyIsLookedAtMoreOften) {
  EXPECT_EQ(between_looks(seconds(6)), seconds(2));
  EXPECT_EQ(between_looks(minutes(10)), kThorough);
  EXPECT_EQ(between_looks(Duration(0)), kThorough);
  Duration longest(0);
  for (int beat = 1; beat < 60; ++beat) {
    now_ += seconds(1) - milliseconds(beat % 2);
    if (beat % 4 == 0) ++life_.output_bytes;
    const bool due = thorough_due(state_, now_, between_looks(seconds(6)));
    sample('S', 0, due ? std::optional(life_) : std::nullopt);
    longest = std::max(longest, state_.silent);
  }
  EXPECT_LT(longest, seconds(6));
}

TEST_F(RankWatchdog, EverySignEndsTheSilence) {
  const RankActivity before = life_;
  const auto after = [&](RankActivity life) {
    life_ = before;
    pass(minutes(2));
    life_ = life;
    pass(kThorough);
    return state_.silent < kThorough;
  };
  EXPECT_FALSE(after(before));
  EXPECT_TRUE(after({seconds(6), 1000, 10, 7, 0}));
  EXPECT_TRUE(after({seconds(5), 9000, 10, 7, 0}));
  EXPECT_TRUE(after({seconds(5), 1000, 11, 7, 0}));
  EXPECT_TRUE(after({seconds(5), 1000, 10, 8, 0}));
  EXPECT_TRUE(after({seconds(5), 1000, 10, 7, 1}));
  EXPECT_TRUE(after({seconds(4), 1000, 10, 7, 0}));  // a child ended, and its CPU time is gone
}

// Waiting threads wake up now and then, and write a few bytes to each other.
TEST_F(RankWatchdog, WhatWaitingThreadsDoIsNoSign) {
  pass(seconds(20));
  for (int i = 0; i < 30; ++i) {
    life_.cpu += milliseconds(20);
    life_.io_bytes += 80;
    pass(kThorough);
  }
  EXPECT_GT(state_.silent, minutes(4));
}

TEST_F(RankWatchdog, CpuTimeAloneIsASignOfLifeButNotOfProgress) {
  pass(seconds(20));
  for (int i = 0; i < 30; ++i) {
    life_.cpu += seconds(9);
    pass(kThorough);
  }
  EXPECT_LE(state_.silent, kThorough);
  EXPECT_GT(state_.still, minutes(4));
}

// The machine is so busy that the process never gets a CPU.
TEST_F(RankWatchdog, ReadyToRunIsASignOfLife) {
  pass(minutes(5), 'R');
  EXPECT_LT(state_.silent, seconds(1));
}

TEST_F(RankWatchdog, AHostThatSleptSilencesNobody) {
  pass(seconds(20));
  now_ += std::chrono::hours(10);
  pass(seconds(20));
  EXPECT_LT(state_.silent, minutes(1));
}

}  // namespace
}  // namespace muster::watchdog
