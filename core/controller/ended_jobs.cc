// SPDX-License-Identifier: Apache-2.0
#include "core/controller/ended_jobs.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// Time until the next try if a job could not be removed.
constexpr Duration kRemoveAgain = std::chrono::minutes(1);

}  // namespace

void EndedJobs::begin() {
  begun_ = true;
  keep_bounded();
}

void EndedJobs::keep_bounded() {
  if (!begun_) return;
  const Pruned pruned = remove(outlived(jobs_.records(), retention_, ports_.loop.now()));
  keep_bounded_later();
  if (pruned.names.empty()) return;
  ports_.log.info("removed " + count_of(pruned.names.size(), "ended job") + " (" + short_list(pruned.names, 3) + "), " +
                  humane_size(pruned.bytes) + " (MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE)");
}

void EndedJobs::keep_bounded_later() {
  ports_.loop.cancel(timer_);
  timer_ = 0;
  const std::optional<TimePoint> next = next_outlived(jobs_.records(), retention_);
  if (!next) return;
  const TimePoint now = ports_.loop.now();
  timer_ = ports_.loop.at(*next > now ? *next : now + kRemoveAgain, [this] {
    takeover_.refresh();
    keep_bounded();
  });
}

Pruned EndedJobs::prune(const PruneRequest& request) {
  JobRecords& records = jobs_.records();
  const auto going = outlived(records, {request.older, request.bytes, Duration(0)}, ports_.loop.now());
  if (!request.look_only) return remove(going);
  Pruned pruned;
  for (const JobRecord* record : going) {
    pruned.names.push_back(record->name);
    pruned.bytes += record->bytes;
  }
  pruned.left_bytes = bytes_of_ended(records) - pruned.bytes;
  return pruned;
}

Pruned EndedJobs::remove(const std::vector<const JobRecord*>& going) {
  Pruned pruned;
  for (const JobRecord* record : going) {
    const JobRecord gone = *record;
    if (jobs_.is_live(gone.id)) continue;  // its final record is not written yet
    if (const Status removed = ports_.store.remove(gone.id); !removed.ok()) {
      ports_.log.warning("cannot remove job " + gone.name + ": " + removed.message());
      continue;
    }
    jobs_.records().erase(gone.id);
    jobs_.dismiss(gone.id);
    pruned.names.push_back(gone.name);
    pruned.bytes += gone.bytes;
  }
  pruned.left_bytes = bytes_of_ended(jobs_.records());
  return pruned;
}

}  // namespace muster
