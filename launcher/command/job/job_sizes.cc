// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/job/job_sizes.h"

#include <filesystem>

#include "core/client/connect/paths.h"
#include "core/system/store/disk_use.h"

namespace muster {

std::map<JobId, uint64_t> job_sizes(const CallerContext& caller, const std::vector<JobView>& jobs) {
  std::map<JobId, uint64_t> sizes;
  const auto paths = wire_paths(caller);
  if (!paths.ok()) return sizes;
  for (const JobView& job : jobs) {
    const uint64_t bytes = bytes_below((std::filesystem::path(paths->state) / "jobs" / job.id.text()).string());
    if (bytes > 0) sizes[job.id] = bytes;
  }
  return sizes;
}

}  // namespace muster
