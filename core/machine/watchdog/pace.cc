// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/pace.h"

#include <algorithm>
#include <vector>

namespace muster::watchdog {
namespace {

constexpr Duration kWindow = std::chrono::seconds(60);
constexpr Duration kLongEnough = std::chrono::seconds(10);
constexpr uint64_t kFewPaceSteps = 5;
constexpr int64_t kWhole = 1000;

}  // namespace

void Pace::heard(TimePoint now, Attempt attempt, uint32_t rank, uint64_t step) {
  if (attempt != attempt_) ranks_.clear();
  attempt_ = attempt;
  Marks& marks = ranks_[rank];
  if (!marks.empty() && step < marks.back().second) marks.clear();  // the rank counts from the start again
  if (marks.empty() || step > marks.back().second) marks.emplace_back(now, step);
  while (marks.size() > 2 && now - marks[1].first > kWindow) marks.pop_front();
}

bool Pace::long_enough(const Marks& marks) {
  return !marks.empty() && marks.back().first - marks.front().first >= kLongEnough &&
         marks.back().second - marks.front().second >= kFewPaceSteps;
}

std::map<uint32_t, uint32_t> Pace::permille() const {
  std::map<uint32_t, int64_t> per_step;
  for (const auto& [rank, marks] : ranks_) {
    if (!long_enough(marks)) continue;
    const auto steps = static_cast<int64_t>(std::min<uint64_t>(marks.back().second - marks.front().second, INT32_MAX));
    per_step[rank] = std::max<int64_t>((marks.back().first - marks.front().first).count() / steps, 1);
  }
  std::vector<int64_t> sorted;
  for (const auto& [rank, time] : per_step) sorted.push_back(time);
  std::sort(sorted.begin(), sorted.end());
  std::map<uint32_t, uint32_t> permille;
  if (sorted.size() < 2) return permille;
  const int64_t median = sorted[(sorted.size() - 1) / 2];
  for (const auto& [rank, time] : per_step)
    permille[rank] = static_cast<uint32_t>(std::min<int64_t>(median * kWhole / time, 10 * kWhole));
  return permille;
}

}  // namespace muster::watchdog
