// ProgressMeter: how far an attempt is, of what its ranks tell: the slowest of them counts. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/port/agent_messages.h"
#include "core/port/control_messages.h"

namespace muster {

class ProgressMeter {
 public:
  // Of one node, at `now`. Another attempt than the last begins anew.
  void heard(TimePoint now, Attempt attempt, const std::vector<RankReport>& ranks);

  Attempt attempt() const { return attempt_; }
  // Nothing: no rank has told any.
  std::optional<JobProgress> progress() const;

 private:
  void take(uint32_t rank, const Progress& progress);
  const Progress& slowest() const { return ranks_.at(by_step_.begin()->second); }

  Attempt attempt_ = 0;
  std::map<uint32_t, Progress> ranks_;                // by plan index
  std::set<std::pair<uint64_t, uint32_t>> by_step_;   // the slowest first
  std::deque<std::pair<TimePoint, uint64_t>> steps_;  // of the slowest, when it was first heard
};

}  // namespace muster
