// SPDX-License-Identifier: Apache-2.0
// Decides which ended jobs are kept and which are removed, by age and by the disk space of all of them. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/journal/job_lookup.h"
#include "core/port/control_messages.h"

namespace muster {

// The limits for ended jobs (MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE).
struct Retention {
  std::optional<Duration> age;                   // since the job's end
  std::optional<uint64_t> bytes = 20ull << 30;   // of all ended jobs together
  Duration at_least = std::chrono::minutes(10);  // no job is removed sooner after its end
};

// The ended jobs to remove, the oldest end first. The pointers are into `records`.
std::vector<const JobRecord*> outlived(const JobRecords& records, const Retention& retention, TimePoint now);

// When outlived() may next return a job, after the jobs that it returned now are removed. Empty: not before another job ends.
std::optional<TimePoint> next_outlived(const JobRecords& records, const Retention& retention);

// The disk space of all ended jobs.
uint64_t bytes_of_ended(const JobRecords& records);

}  // namespace muster
