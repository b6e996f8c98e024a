// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/progress_meter.h"

#include <algorithm>

namespace muster {
namespace {

// The speed is measured over this time only: the first step compiles, and a checkpoint pauses.
constexpr Duration kWindow = std::chrono::seconds(30);

}  // namespace

void ProgressMeter::take(uint32_t rank, const Progress& progress) {
  const auto [known, is_new] = ranks_.try_emplace(rank, progress);
  if (!is_new) by_step_.erase({known->second.step, rank});
  known->second = progress;
  by_step_.emplace(progress.step, rank);
}

void ProgressMeter::heard(TimePoint now, Attempt attempt, const std::vector<RankReport>& ranks) {
  if (attempt != attempt_) *this = ProgressMeter();
  attempt_ = attempt;
  for (const RankReport& rank : ranks) {
    if (rank.progress) take(rank.index, *rank.progress);
  }
  if (ranks_.empty()) return;
  const uint64_t step = slowest().step;
  if (!steps_.empty() && step < steps_.back().second) steps_.clear();  // the program counts from the start again
  if (steps_.empty() || step > steps_.back().second) steps_.emplace_back(now, step);
  while (steps_.size() > 2 && now - steps_[1].first > kWindow) steps_.pop_front();
}

std::optional<JobProgress> ProgressMeter::progress() const {
  if (ranks_.empty()) return std::nullopt;
  JobProgress job{slowest(), Duration(0), Duration(0)};
  job.progress.metrics = ranks_.begin()->second.metrics;
  const auto [began, first] = steps_.front();
  const auto [latest, last] = steps_.back();
  if (last == first) return job;
  const Duration took = latest - began;
  job.per_step = took / static_cast<int64_t>(last - first);
  const uint64_t left = job.progress.total > last ? job.progress.total - last : 0;
  // Avoids an overflow if the total makes no sense.
  if (left < UINT32_MAX) job.remaining = job.per_step * static_cast<int64_t>(left);
  return job;
}

}  // namespace muster
