// The pace of ranks that tell steps: of each, what part of the median rank's steps it makes in the same time. Pure.
//
// Ranks that wait for each other in every step are all as slow as the slowest; it shows where they do not.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "core/base/ids.h"
#include "core/base/time.h"

namespace muster::watchdog {

constexpr uint32_t kSlow = 700;  // permille: below, it is told

class Pace {
 public:
  // A rank said at `now` how far it is. Another attempt than the last begins anew.
  void heard(TimePoint now, Attempt attempt, uint32_t rank, uint64_t step);

  Attempt attempt() const { return attempt_; }

  // Permille of the median rank's, by plan index; nothing for those not watched for long enough, and with fewer than two.
  std::map<uint32_t, uint32_t> permille() const;

 private:
  using Marks = std::deque<std::pair<TimePoint, uint64_t>>;  // when a step was first heard
  static bool judged(const Marks& marks);

  Attempt attempt_ = 0;
  std::map<uint32_t, Marks> ranks_;
};

}  // namespace muster::watchdog
