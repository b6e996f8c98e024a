// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/process_clock.h"

#include <algorithm>

namespace muster {
namespace {

Duration read_clock(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

ProcessClock::ProcessClock(ClockSource source)
    : id_(source == ClockSource::boottime ? CLOCK_BOOTTIME : CLOCK_MONOTONIC),
      offset_(read_clock(CLOCK_REALTIME) - read_clock(id_)) {}

TimePoint ProcessClock::read() const { return TimePoint(offset_ + read_clock(id_)); }

timespec ProcessClock::kernel_time(TimePoint time) const {
  // A timerfd set to zero would be disarmed (timerfd_settime(2)).
  const Duration since = std::max(time.time_since_epoch() - offset_, Duration(1));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  return {seconds.count(), (since - seconds).count()};
}

}  // namespace muster
