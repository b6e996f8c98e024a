// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/pace.h"

#include <gtest/gtest.h>

namespace muster::watchdog {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// For `time`, rank i makes a step every `each[i]`.
Pace paced(const std::vector<Duration>& each, Duration time) {
  Pace pace;
  for (Duration passed{0}; passed <= time; passed += milliseconds(100)) {
    for (uint32_t i = 0; i < each.size(); ++i)
      pace.heard(from_unix_nanos(0) + passed, 1, i, static_cast<uint64_t>(passed / each[i]));
  }
  return pace;
}

TEST(Pace, ARankIsMeasuredByTheMedian) {
  const auto permille = paced({seconds(1), seconds(1), seconds(2), milliseconds(500)}, seconds(40)).permille();
  EXPECT_EQ(permille.at(0), 1000u);
  EXPECT_EQ(permille.at(2), 500u);
  EXPECT_EQ(permille.at(3), 2000u);
}

TEST(Pace, OfTwoTheFasterIsTheMeasure) {
  const auto permille = paced({seconds(1), seconds(2)}, seconds(40)).permille();
  EXPECT_EQ(permille.at(0), 1000u);
  EXPECT_LT(permille.at(1), kSlow);
}

TEST(Pace, NothingIsSaidTooSoonOrOfOneAlone) {
  EXPECT_TRUE(paced({seconds(1), seconds(2)}, seconds(5)).permille().empty());
  EXPECT_TRUE(paced({seconds(1)}, seconds(40)).permille().empty());
}

TEST(Pace, AnotherAttemptBeginsAnew) {
  Pace pace = paced({seconds(1), seconds(2)}, seconds(40));
  pace.heard(from_unix_nanos(0) + seconds(41), 2, 0, 1);
  EXPECT_TRUE(pace.permille().empty());
}

}  // namespace
}  // namespace muster::watchdog
