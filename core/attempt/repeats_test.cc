// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/repeats.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using std::chrono::seconds;

Report report() {
  Report report;
  report.attempt = 2;
  report.quiet = false;
  report.ranks.resize(2);
  report.ranks[1].index = 1;
  return report;
}

// The report one heartbeat later, if nothing happens.
Report later(Report report) {
  ++report.beat;
  report.waited += seconds(1);
  for (RankReport& rank : report.ranks) rank.silent = rank.still = rank.silent + seconds(1);
  return report;
}

TEST(Repeats, WhatSaysNothingNewIsRepeatedEveryFewBeats) {
  Repeats<Report> repeats;
  Report now = report();
  std::vector<int> sent;
  for (int beat = 0; beat < 9; ++beat, now = later(now)) {
    if (repeats.due(now, 4)) sent.push_back(beat);
  }
  EXPECT_EQ(sent, (std::vector<int>{0, 4, 8}));
}

TEST(Repeats, WhatIsNewIsSentAtOnce) {
  Repeats<Report> repeats;
  EXPECT_TRUE(repeats.due(report(), 4));
  Report told = later(report());
  told.ranks[1].progress = Progress{};
  EXPECT_TRUE(repeats.due(told, 4));
  EXPECT_FALSE(repeats.due(later(told), 4));
  Report shorter = later(told);
  shorter.ranks.pop_back();
  EXPECT_TRUE(repeats.due(shorter, 4));
}

TEST(Repeats, EachBeatWhereItIsEveryFirst) {
  Repeats<DesiredState> repeats;
  for (int beat = 0; beat < 3; ++beat) EXPECT_TRUE(repeats.due(DesiredState(), 1));
}

TEST(Repeats, AtOnceToSomebodyElse) {
  Repeats<DesiredState> repeats;
  DesiredState desired;
  EXPECT_TRUE(repeats.due(desired, 4));
  desired.heard = 7;
  EXPECT_FALSE(repeats.due(desired, 4));
  repeats.reset();
  EXPECT_TRUE(repeats.due(desired, 4));
  desired.measure = true;
  EXPECT_TRUE(repeats.due(desired, 4));
}

TEST(BeatsBetween, ToldTwiceAsOftenAsLookedAt) {
  EXPECT_EQ(beats_between(Duration(0)), 5u);
  EXPECT_EQ(beats_between(seconds(10)), 5u);
  EXPECT_EQ(beats_between(std::chrono::hours(1)), 5u);
  EXPECT_EQ(beats_between(seconds(4)), 2u);
  EXPECT_EQ(beats_between(seconds(1)), 1u);
  EXPECT_EQ(beats_between(std::chrono::milliseconds(1)), 1u);
}

}  // namespace
}  // namespace muster
