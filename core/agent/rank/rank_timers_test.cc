// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_timers.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr int64_t kWall = 1'000'000'000'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;
const TimePoint kNow = from_unix_nanos(7 * kSecond);  // not the wall clock

TimePoint after(int64_t seconds) { return kNow + Duration(seconds * kSecond); }

TimerLine set(int64_t pid, const std::string& scope, int64_t seconds, int signal = 9) {
  return {pid, scope, kWall + seconds * kSecond, signal};
}

TEST(TimerLine, IsWhatTorchWrites) {
  const auto timer = parse_timer_line(
      R"({"version": 1, "pid": 42, "scope_id": "train.py#41", "expiration_time": 1000000000.5, "signal": 9})");
  EXPECT_EQ(timer, (TimerLine{42, "train.py#41", kWall + kSecond / 2, 9}));
}

TEST(TimerLine, ANegativeTimeReleases) {
  const auto timer = parse_timer_line(R"({"pid": 42, "scope_id": "\u00e4 \"x\"", "expiration_time": -1, "signal": 0})");
  EXPECT_EQ(timer, (TimerLine{42, "ä \"x\"", std::nullopt, 0}));
}

TEST(TimerLine, FarOffIsNeverAndANegativeSignalIsNone) {
  const auto timer = parse_timer_line(R"({"pid": 1, "scope_id": "a", "expiration_time": 1e300, "signal": -5})");
  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->signal, 0);
  RankTimers timers;
  EXPECT_TRUE(timers.take(*timer, kNow, kWall));
  EXPECT_TRUE(timers.expired(after(3600LL * 24 * 365 * 50)).empty());
}

TEST(TimerLine, AnythingElseIsNone) {
  for (const char* line :
       {"", "{", "[]", "7", R"({"pid": 1})", R"({"pid": 0, "scope_id": "a", "expiration_time": 1, "signal": 9})",
        R"({"pid": "1", "scope_id": "a", "expiration_time": 1, "signal": 9})",
        R"({"pid": 1, "scope_id": ["a"], "expiration_time": 1, "signal": 9})",
        R"({"pid": 1, "scope_id": "a", "expiration_time": NaN, "signal": 9})",
        R"({"pid": 1, "scope_id": "a", "expiration_time": 1, "signal": 65})",
        R"({"pid": 99999999999999999999, "scope_id": "a", "expiration_time": 1, "signal": 9})"})
    EXPECT_FALSE(parse_timer_line(line)) << line;
}

TEST(RankTimers, ATimerIsOverOnce) {
  RankTimers timers;
  timers.take(set(42, "step", 2), kNow, kWall);
  EXPECT_EQ(timers.next(), after(2));
  EXPECT_TRUE(timers.expired(after(1)).empty());
  EXPECT_EQ(timers.expired(after(2)), (std::vector<ExpiredTimer>{{42, "step", 9}}));
  EXPECT_TRUE(timers.expired(after(9)).empty());
  EXPECT_EQ(timers.next(), std::nullopt);
}

TEST(RankTimers, AReleasedOneIsNeverOverAndOneSetAgainIsLater) {
  RankTimers timers;
  timers.take(set(42, "step", 2), kNow, kWall);
  timers.take(set(42, "save", 2), kNow, kWall);
  timers.take({42, "step", std::nullopt, 0}, kNow, kWall);
  timers.take({42, "unknown", std::nullopt, 0}, kNow, kWall);
  timers.take(set(42, "save", 5), kNow, kWall);
  EXPECT_TRUE(timers.expired(after(4)).empty());
  EXPECT_EQ(timers.expired(after(5)), (std::vector<ExpiredTimer>{{42, "save", 9}}));
}

TEST(RankTimers, OneThatIsOverAlreadyIsOverNow) {
  RankTimers timers;
  timers.take(set(42, "step", -3600), kNow, kWall);
  EXPECT_EQ(timers.expired(kNow).size(), 1u);
}

TEST(RankTimers, OfOneProcessTheFirstWithASignalCounts) {
  RankTimers timers;
  timers.take(set(42, "a", 1, 0), kNow, kWall);
  timers.take(set(42, "b", 3, 15), kNow, kWall);
  timers.take(set(42, "c", 2, 9), kNow, kWall);
  timers.take(set(42, "d", 99, 9), kNow, kWall);
  timers.take(set(43, "a", 1, 0), kNow, kWall);
  timers.take(set(43, "b", 9, 9), kNow, kWall);
  EXPECT_EQ(timers.expired(after(4)), (std::vector<ExpiredTimer>{{42, "c", 9}}));
  EXPECT_EQ(timers.processes(), std::vector<int64_t>{43});
  EXPECT_EQ(timers.expired(after(9)), (std::vector<ExpiredTimer>{{43, "b", 9}}));
}

TEST(RankTimers, ThereIsALimit) {
  RankTimers timers;
  for (size_t i = 0; i < RankTimers::kMost; ++i) EXPECT_TRUE(timers.take(set(1, std::to_string(i), 9), kNow, kWall));
  EXPECT_FALSE(timers.take(set(2, "more", 9), kNow, kWall));
  EXPECT_TRUE(timers.take(set(1, "7", 99), kNow, kWall));
  timers.forget(1);
  EXPECT_TRUE(timers.take(set(2, "more", 9), kNow, kWall));
}

}  // namespace
}  // namespace muster
