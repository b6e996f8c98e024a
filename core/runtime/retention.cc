#include "core/runtime/retention.h"

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
  if (!retention.age && !too_much()) return {};  // asked at every job's end
  std::vector<const JobRecord*> going;
  for (const JobRecord* record : ended_jobs(records)) {
    const bool old = retention.age && now - record->ended >= *retention.age;
    if (now - record->ended < retention.at_least || (!old && !too_much())) continue;
    going.push_back(record);
    left -= std::min(left, record->bytes);
  }
  return going;
}

uint64_t bytes_of_ended(const JobRecords& records) {
  uint64_t sum = 0;
  for (const auto& [id, record] : records) sum += record.has_ended() ? record.bytes : 0;
  return sum;
}

}  // namespace muster
