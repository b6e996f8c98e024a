// Which ended jobs are kept, and which go: by age and by the disk that all of them take. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/journal/job_lookup.h"
#include "core/port/control_messages.h"

namespace muster {

// What keeps the disk bounded by itself (MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE).
struct Retention {
  std::optional<Duration> age;                   // since their end
  std::optional<uint64_t> bytes = 20ull << 30;   // of all ended jobs together
  Duration at_least = std::chrono::minutes(10);  // nothing goes sooner, however large
};

// The ended jobs that are to go, the oldest end first. They live as long as `records`' own.
std::vector<const JobRecord*> outlived(const JobRecords& records, const Retention& retention, TimePoint now);

// When outlived() may next have more to tell, once what it told has gone; nothing: not before another job ends.
std::optional<TimePoint> next_outlived(const JobRecords& records, const Retention& retention);

// What ended jobs take on disk.
uint64_t bytes_of_ended(const JobRecords& records);

}  // namespace muster
