// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace muster {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Duration kMost = hours(24 * 366 * 10);

TEST(ParseDuration, UnitsAloneAndTogether) {
  EXPECT_EQ(*parse_duration("0"), Duration(0));
  EXPECT_EQ(*parse_duration("0s"), Duration(0));
  EXPECT_EQ(*parse_duration("7ns"), nanoseconds(7));
  EXPECT_EQ(*parse_duration("7us"), microseconds(7));
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("90s"), seconds(90));
  EXPECT_EQ(*parse_duration("1h30m"), minutes(90));
  EXPECT_EQ(*parse_duration("2d"), hours(48));
  EXPECT_EQ(*parse_duration("1d1h1m1s1ms1us1ns"),
            hours(25) + minutes(1) + seconds(1) + milliseconds(1) + microseconds(1) + nanoseconds(1));
  EXPECT_EQ(*parse_duration("0001s"), seconds(1));
}

TEST(WholeSeconds, APartOfASecond_CountsAsAWholeOne) {
  EXPECT_EQ(whole_seconds(Duration(0)), 0);
  EXPECT_EQ(whole_seconds(seconds(90)), 90);
  EXPECT_EQ(whole_seconds(seconds(89) + nanoseconds(1)), 90);
}

TEST(NextWhole, IsAlwaysAhead) {
  const auto at = [](Duration since) { return TimePoint(since); };
  EXPECT_EQ(next_whole(at(milliseconds(7300)), seconds(1)), at(seconds(8)));
  EXPECT_EQ(next_whole(at(seconds(8)), seconds(1)), at(seconds(9)));
  EXPECT_EQ(next_whole(at(seconds(9)), seconds(2)), at(seconds(10)));
}

TEST(ParseDuration, Junk_IsNamedAsItWasWritten) {
  for (const char* text : {"",     " ",     "s",    "30",   "-1s",  "+1s", "1.5s", "1 s",  "1s ", "1S",  "1s1s",
                           "1s1m", "1ms1s", "1h30", "1min", "1sec", "s1",  "1s,",  "1s\n", "00",  "１s", "1e3s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), Code::invalid_argument);
    EXPECT_NE(parsed.status().message().find("not `" + std::string(text) + "`"), std::string::npos);
  }
  EXPECT_FALSE(parse_duration(std::string_view("1s\0", 3)).ok());
}

TEST(ParseDuration, TenYearsAreTheMost) {
  EXPECT_EQ(*parse_duration("3660d"), kMost);
  EXPECT_FALSE(parse_duration("3660d1ns").ok());
  EXPECT_FALSE(parse_duration("3661d").ok());
  EXPECT_FALSE(parse_duration("3660d24h").ok());
  for (const char* text :
       {"9223372036854775807ns", "9223372036854775808ns", "18446744073709551616s", "99999999999999999999d",
        "316224000000000000h", "184467440737095516160000000000000000000ns"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(FormatDuration, IsReadBackAsTheSame) {
  EXPECT_EQ(format_duration(Duration(0)), "0s");
  EXPECT_EQ(format_duration(minutes(90)), "1h30m");
  EXPECT_EQ(format_duration(hours(24)), "1d");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1s500ms");
  for (int64_t nanos = 1; nanos < kMost.count() / 7; nanos = nanos * 7 + 3) {
    EXPECT_EQ(*parse_duration(format_duration(Duration(nanos))), Duration(nanos)) << nanos;
  }
}

TEST(FormatDuration, TheExtremesToo) {
  EXPECT_EQ(format_duration(seconds(-90)), "-1m30s");
  EXPECT_EQ(format_duration(Duration(std::numeric_limits<int64_t>::max())), "106751d23h47m16s854ms775us807ns");
  EXPECT_EQ(format_duration(Duration(std::numeric_limits<int64_t>::min())), "-106751d23h47m16s854ms775us808ns");
}

TEST(HumaneDuration, IsWhatAPersonUses) {
  const std::pair<Duration, const char*> rows[] = {
      {Duration(0), "0 ms"},
      {microseconds(900), "0 ms"},
      {milliseconds(64), "64 ms"},
      {microseconds(999'900), "999 ms"},
      {seconds(1), "1 s"},
      {milliseconds(1049), "1 s"},
      {milliseconds(1050), "1.1 s"},
      {milliseconds(12'100), "12.1 s"},
      {seconds(30), "30 s"},
      {milliseconds(59'949), "59.9 s"},
      {milliseconds(59'950), "1 min"},
      {seconds(60), "1 min"},
      {milliseconds(93'200), "1 min 33 s"},
      {seconds(120), "2 min"},
      {milliseconds(3'599'400), "59 min 59 s"},
      {milliseconds(3'599'600), "1 h"},
      {minutes(190), "3 h 10 min"},
      {hours(2) + seconds(29), "2 h"},
      {hours(2) + seconds(31), "2 h 1 min"},
      {hours(47) + minutes(59), "47 h 59 min"},
      {hours(48), "2 d"},
      {hours(52), "2 d 4 h"},
      {kMost, "3660 d"},
  };
  for (const auto& [duration, text] : rows) EXPECT_EQ(humane_duration(duration), text) << duration.count();
}

TEST(HumaneDuration, AClockThatWentBackIsNoTime) {
  EXPECT_EQ(humane_duration(seconds(-5)), "0 ms");
  EXPECT_EQ(humane_duration(Duration(std::numeric_limits<int64_t>::min())), "0 ms");
  EXPECT_EQ(humane_duration(Duration(std::numeric_limits<int64_t>::max())), "106752 d");
}

TEST(FormatUtc, MillisecondsOfUtc) {
  EXPECT_EQ(format_utc(TimePoint()), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_utc(from_unix_nanos(1'795'374'187'120'999'999)), "2026-11-22T19:03:07.120Z");
  EXPECT_EQ(format_utc(from_unix_nanos(951'782'400'000'000'000)), "2000-02-29T00:00:00.000Z");
}

TEST(FormatUtc, BeforeTheEpochAndAtTheEnds) {
  EXPECT_EQ(format_utc(from_unix_nanos(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_utc(from_unix_nanos(std::numeric_limits<int64_t>::max())), "2262-04-11T23:47:16.854Z");
  EXPECT_EQ(format_utc(from_unix_nanos(std::numeric_limits<int64_t>::min())), "1677-09-21T00:12:43.145Z");
}

TEST(UnixNanos, ThereAndBack) { EXPECT_EQ(to_unix_nanos(from_unix_nanos(-42)), -42); }

}  // namespace
}  // namespace muster
