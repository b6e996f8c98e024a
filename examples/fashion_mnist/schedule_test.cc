// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <gtest/gtest.h>

#include <set>

namespace fm {
namespace {

TEST(Schedule, AnEpochTakesEveryImageOnce) {
  Schedule schedule(103, 10, 2, 1);
  EXPECT_EQ(schedule.steps(), 22U);
  std::multiset<std::uint32_t> seen;
  for (std::uint64_t step = 11; step < 22; ++step) {
    const auto [images, count] = schedule.batch(step);
    EXPECT_EQ(count, step == 21 ? 3U : 10U);
    seen.insert(images, images + count);
  }
  EXPECT_EQ(seen.size(), 103U);
  EXPECT_EQ(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), 103U);
  EXPECT_TRUE(schedule.ends_epoch(10) && schedule.ends_epoch(21) && !schedule.ends_epoch(11));
}

TEST(Schedule, ABatchDependsOnSeedAndStepAlone) {
  Schedule went_on(1000, 10, 3, 1), resumed(1000, 10, 3, 1), other(1000, 10, 3, 2);
  for (std::uint64_t step = 0; step < 150; ++step) went_on.batch(step);
  const auto content = [](Schedule& schedule, std::uint64_t step) {
    const auto [images, count] = schedule.batch(step);
    return std::vector<std::uint32_t>(images, images + count);
  };
  EXPECT_EQ(content(went_on, 150), content(resumed, 150));
  EXPECT_NE(content(resumed, 150), content(resumed, 50));
  EXPECT_NE(content(resumed, 150), content(other, 150));
}

TEST(Schedule, TheRateFallsInAStraightLine) {
  const Schedule schedule(100, 10, 2, 1);
  EXPECT_FLOAT_EQ(schedule.rate(0, 0.4F), 0.4F);
  EXPECT_FLOAT_EQ(schedule.rate(10, 0.4F), 0.2F);
}

TEST(Slice, IsOfWholePacksAndCoversEverything) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 7U, 20U}) {
    std::size_t next = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto [from, to] = slice(100, rank, ranks);
      EXPECT_EQ(from, next);
      EXPECT_TRUE(to % 16 == 0 || to == 100) << to;
      EXPECT_LE(to - from, (7 / ranks + 1) * 16);
      next = to;
    }
    EXPECT_EQ(next, 100U);
  }
}

TEST(Random, GivesTheSameNumbersEverywhere) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);  // from SplitMix64's reference implementation
}

}  // namespace
}  // namespace fm
