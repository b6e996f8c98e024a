// SPDX-License-Identifier: Apache-2.0
#include "core/controller/retention.h"

#include <algorithm>

namespace muster {
namespace {

std::vector<const JobRecord*> ended_jobs(const JobRecords& records) {
  std::vector<const JobRecord*> ended;
  for (const auto& [id, record] : records) {
    if (record.has_ended()) ended.push_back(&record);
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const JobRecord* a, const JobRecord* b) { return a->ended < b->ended; });
  return ended;
}

}  // namespace

std::vector<const JobRecord*> outlived(const JobRecords& records, const Retention& retention, TimePoint now) {
  uint64_t left = bytes_of_ended(records);
  const auto too_much = [&] { return retention.bytes && left > *retention.bytes; };
  if (!retention.age && !too_much()) return {};  // the usual case: this runs at every job's end
  std::vector<const JobRecord*> going;
  for (const JobRecord* record : ended_jobs(records)) {
    const bool old = retention.age && now - record->ended >= *retention.age;
    if (now - record->ended < retention.at_least || (!old && !too_much())) continue;
    going.push_back(record);
    left -= std::min(left, record->bytes);
  }
  return going;
}

std::optional<TimePoint> next_outlived(const JobRecords& records, const Retention& retention) {
  const std::vector<const JobRecord*> ended = ended_jobs(records);
  if (ended.empty()) return std::nullopt;
  const bool too_much = retention.bytes && bytes_of_ended(records) > *retention.bytes;
  if (too_much) return ended.front()->ended + retention.at_least;
  if (!retention.age) return std::nullopt;
  return ended.front()->ended + std::max(*retention.age, retention.at_least);
}

uint64_t bytes_of_ended(const JobRecords& records) {
  uint64_t sum = 0;
  for (const auto& [id, record] : records) sum += record.has_ended() ? record.bytes : 0;
  return sum;
}

}  // namespace muster
