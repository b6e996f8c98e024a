// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/progress_meter.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using std::chrono::seconds;

RankReport at_step(uint32_t index, uint64_t step, uint64_t total = 100) {
  RankReport rank;
  rank.index = index;
  rank.progress = Progress{step, total, {{"loss", static_cast<double>(index)}}};
  return rank;
}

TimePoint at(int64_t second) { return from_unix_nanos(0) + seconds(second); }

TEST(ProgressMeter, NobodyTells_NothingIsKnown) {
  ProgressMeter meter;
  meter.heard(at(0), 1, {RankReport()});
  EXPECT_FALSE(meter.progress());
}

TEST(ProgressMeter, TheSlowestRankCounts_MetricsAreTheFirsts) {
  ProgressMeter meter;
  meter.heard(at(0), 1, {at_step(0, 30), at_step(1, 20)});
  ASSERT_TRUE(meter.progress());
  EXPECT_EQ(meter.progress()->progress.step, 20U);
  EXPECT_EQ(meter.progress()->progress.metrics.at("loss"), 0.0);
  EXPECT_EQ(meter.progress()->remaining, Duration(0)) << "one report gives no speed";
}

TEST(ProgressMeter, TheEtaFollowsTheSpeedOfLate) {
  ProgressMeter meter;
  meter.heard(at(0), 1, {at_step(0, 1)});  // the first step took long
  for (int64_t second = 100; second <= 160; ++second)
    meter.heard(at(second), 1, {at_step(0, static_cast<uint64_t>(second - 98), 200)});
  EXPECT_EQ(meter.progress()->per_step, Duration(seconds(1)));
  EXPECT_EQ(meter.progress()->remaining, Duration(seconds(200 - 62)));
}

TEST(ProgressMeter, AnotherAttemptBeginsAnew) {
  ProgressMeter meter;
  meter.heard(at(0), 1, {at_step(0, 50)});
  meter.heard(at(1), 2, {RankReport()});
  EXPECT_FALSE(meter.progress());
  EXPECT_EQ(meter.attempt(), 2U);
}

TEST(ProgressMeter, StepsThatCountAnewAndTotalsThatMakeNoSenseHarmNothing) {
  ProgressMeter meter;
  meter.heard(at(0), 1, {at_step(0, 90)});
  meter.heard(at(1), 1, {at_step(0, 3)});
  meter.heard(at(2), 1, {at_step(0, 4, UINT64_MAX)});
  EXPECT_EQ(meter.progress()->per_step, Duration(seconds(1)));
  EXPECT_EQ(meter.progress()->remaining, Duration(0));
  meter.heard(at(3), 1, {at_step(0, 9, 5)});
  EXPECT_EQ(meter.progress()->remaining, Duration(0));
}

}  // namespace
}  // namespace muster
