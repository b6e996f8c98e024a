// The controller's ended jobs: what they take on disk, and which are forgotten.
#include <algorithm>

#include "core/base/text.h"
#include "core/controller/controller.h"

namespace muster {
namespace {

constexpr Duration kRetentionTryAgain = std::chrono::minutes(1);

}  // namespace

// Its output is all there now. False: the disk has no room to note it.
bool Controller::measure(const JobId& job) {
  const auto found = records_.find(job);
  if (found == records_.end()) return true;
  found->second.bytes = ports_.store.bytes(job);
  const Status kept = ports_.store.update(found->second);
  return kept.ok() || kept.code() == Code::not_found;
}

Pruned Controller::forget(const std::vector<const JobRecord*>& going) {
  Pruned pruned;
  for (const JobRecord* record : going) {
    const JobRecord gone = *record;
    if (live_.count(gone.id) > 0) continue;  // it waits for its disk
    if (const Status removed = ports_.store.remove(gone.id); !removed.ok()) {
      ports_.log.warning("cannot forget " + gone.name + ": " + removed.message());
      continue;
    }
    records_.erase(gone.id);
    say_farewell(gone.id);
    pruned.names.push_back(gone.name);
    pruned.bytes += gone.bytes;
  }
  pruned.left_bytes = bytes_of_ended(records_);
  return pruned;
}

// What ended a moment ago counts as well.
void Controller::settle_ended() {
  std::vector<JobId> ended;
  for (const auto& [job, coordinator] : live_) {
    if (coordinator->done()) ended.push_back(job);
  }
  for (const JobId& job : ended) static_cast<void>(settle(job));
}

// One that could not be removed is tried again after a while.
void Controller::keep_bounded_later() {
  ports_.loop.cancel(retention_timer_);
  retention_timer_ = 0;
  const std::optional<TimePoint> next = next_outlived(records_, self_.retention);
  if (!next) return;
  const TimePoint now = ports_.loop.now();
  retention_timer_ = ports_.loop.at(*next > now ? *next : now + kRetentionTryAgain, [this] {
    refresh_records();
    keep_bounded();
  });
}

// Jobs of years would fill the disk.
void Controller::keep_bounded() {
  if (!adopts_) return;
  const Pruned pruned = forget(outlived(records_, self_.retention, ports_.loop.now()));
  keep_bounded_later();
  if (pruned.names.empty()) return;
  ports_.log.info("forgot " + count_of(pruned.names.size(), "ended job") + " (" + short_list(pruned.names, 3) + "), " +
                  humane_size(pruned.bytes) + " (MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE)");
}

Result<Pruned> Controller::prune(const PruneRequest& request) {
  used();
  settle_ended();
  refresh_records();
  const auto going = outlived(records_, {request.older, request.bytes, Duration(0)}, ports_.loop.now());
  if (!request.look_only) return forget(going);
  Pruned pruned;
  for (const JobRecord* record : going) {
    pruned.names.push_back(record->name);
    pruned.bytes += record->bytes;
  }
  pruned.left_bytes = bytes_of_ended(records_) - pruned.bytes;
  return pruned;
}

}  // namespace muster
