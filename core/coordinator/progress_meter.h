// SPDX-License-Identifier: Apache-2.0
// ProgressMeter: the progress of an attempt: that of the slowest rank that reports any. Pure.
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
  // Takes the report of one node. A new attempt replaces everything.
  void heard(TimePoint now, Attempt attempt, const std::vector<RankReport>& ranks);

  Attempt attempt() const { return attempt_; }
  // Empty: no rank has reported progress.
  std::optional<JobProgress> progress() const;

 private:
  void take(uint32_t rank, const Progress& progress);
  const Progress& slowest() const { return ranks_.at(by_step_.begin()->second); }

  Attempt attempt_ = 0;
  std::map<uint32_t, Progress> ranks_;                // by plan index
  std::set<std::pair<uint64_t, uint32_t>> by_step_;   // the slowest first
  std::deque<std::pair<TimePoint, uint64_t>> steps_;  // of the slowest rank: when each step was first reported
};

}  // namespace muster
