// SPDX-License-Identifier: Apache-2.0
// The pace of ranks that report steps: the steps of each rank, as a part of the median rank's steps in the same time. Pure.
//
// Ranks that wait for each other in every step all have the pace of the slowest. A slow rank shows only if they do not.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace muster::watchdog {

constexpr uint32_t kSlow = 700;  // permille; a lower pace is reported

class Pace {
 public:
  // A rank reported its step at `now`. A different attempt resets all ranks.
  void heard(TimePoint now, Attempt attempt, uint32_t rank, uint64_t step);

  Attempt attempt() const { return attempt_; }

  // Permille of the median pace, by plan index. Ranks without enough steps are left out; empty with fewer than two ranks.
  std::map<uint32_t, uint32_t> permille() const;

 private:
  using Marks = std::deque<std::pair<TimePoint, uint64_t>>;  // when each step was first reported
  static bool long_enough(const Marks& marks);

  Attempt attempt_ = 0;
  std::map<uint32_t, Marks> ranks_;
};

}  // namespace muster::watchdog
