// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/job/job_sizes.h"

#include <algorithm>
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

bool printed_nothing(const CallerContext& caller, const JobView& job, const AttemptView& attempt) {
  const auto paths = wire_paths(caller);
  const auto culprit = std::find_if(job.ranks.begin(), job.ranks.end(),
                                    [&](const RankView& each) { return each.index == attempt.culprit; });
  // The output of ranks elsewhere may not be here.
  if (!paths.ok() || job.backend != "local" || (attempt.culprit && culprit == job.ranks.end())) return false;
  const std::string rank = attempt.culprit ? culprit->group + "-" + std::to_string(culprit->rank) + "." : "";
  const std::filesystem::path folder =
      std::filesystem::path(paths->state) / "jobs" / job.id.text() / ("attempt-" + std::to_string(attempt.attempt));
  bool found = false;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (!each->path().filename().string().starts_with(rank)) continue;
    std::error_code unread;
    if (each->path().extension() != ".order" && each->file_size(unread) > 0) return false;
    found = true;
  }
  return found && !error;
}

}  // namespace muster
