// SPDX-License-Identifier: Apache-2.0
// The time of all muster code: nanoseconds since the UNIX epoch, which never go back within a job.
//
// A process reads the wall clock once, at its start, and then adds the monotonic clock (Loop::now in port/loop.h), so
// that jumps of the wall clock have no effect. A controller that takes over a job continues no earlier than the last
// line of the job's journal. Nothing in this file reads a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

using Duration = std::chrono::nanoseconds;

struct JobClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<JobClock>;
  static constexpr bool is_steady = true;
};

using TimePoint = JobClock::time_point;

inline TimePoint from_unix_nanos(int64_t nanos) { return TimePoint(Duration(nanos)); }
inline int64_t to_unix_nanos(TimePoint time) { return time.time_since_epoch().count(); }

// The next multiple of `period` after `now`, so that periodic timers fire together and wake the process once.
inline TimePoint next_whole(TimePoint now, Duration period) { return now + period - now.time_since_epoch() % period; }

// Seconds, rounded up.
inline int64_t whole_seconds(Duration time) { return std::chrono::ceil<std::chrono::seconds>(time).count(); }

// Parses "90s", "1h30m", "500ms", "2d": units ns us ms s m h d, each at most once, the largest first. "0" needs no
// unit. invalid_argument: any other text, or more than 10 years.
Result<Duration> parse_duration(std::string_view text);

// The shortest text that parse_duration reads back as the same value: "1h30m", "0s".
std::string format_duration(Duration duration);

// Rounded for people: "64 ms", "12.1 s", "30 s", "4 min", "1 min 33 s", "3 h 10 min", "2 d 4 h". Negative durations are
// "0 ms".
std::string humane_duration(Duration duration);

// UTC, RFC 3339 with milliseconds: "2026-11-21T19:03:07.120Z".
std::string format_utc(TimePoint time);

}  // namespace muster
