// SPDX-License-Identifier: Apache-2.0
#include "core/controller/job_closer.h"

#include "core/attempt/secrets_file.h"

namespace muster {
namespace {

// Viewers have been sent the end by then.
constexpr Duration kSettle = std::chrono::milliseconds(50);

}  // namespace

JobCloser::JobCloser(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, EndedJobs& ended,
                     std::function<void()> closed)
    : ports_(ports),
      jobs_(jobs),
      queue_(queue),
      ended_(ended),
      closed_(std::move(closed)) {}

JobCloser::~JobCloser() {
  *alive_ = false;
  for (const JobId& job : ended_jobs()) static_cast<void>(write_end(job));
}

// Queued jobs that can now start, and viewers, come before the writing.
void JobCloser::ended(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(job);
  if (!coordinator) return;
  unclaim(coordinator->backend(), job);
  queue_.admit();
  close_after(kSettle, job);
}

void JobCloser::close_after(Duration time, const JobId& job) {
  ports_.loop.at(ports_.loop.now() + time, [this, alive = alive_, time, job] {
    if (!*alive || !jobs_.is_live(job) || close(job)) return;
    if (time == kSettle)
      ports_.log.error("cannot write the end of " + jobs_.records()[job].name + " yet; trying again every second");
    close_after(kHeartbeat, job);
  });
}

std::vector<JobId> JobCloser::ended_jobs() const {
  std::vector<JobId> ended;
  for (const auto& [job, coordinator] : jobs_.live()) {
    if (coordinator->done()) ended.push_back(job);
  }
  return ended;
}

void JobCloser::close_ended() {
  for (const JobId& job : ended_jobs()) static_cast<void>(close(job));
}

// False: the disk is full. The job stays live, since the next controller would find it unfinished in the store.
bool JobCloser::close(const JobId& job) {
  if (!write_end(job)) return false;
  jobs_.dismiss(job);
  ports_.store.disown(job);
  ended_.keep_bounded();
  closed_();
  return true;
}

bool JobCloser::write_end(const JobId& job) {
  if (!jobs_.live(job)->kept()) return false;
  ports_.store.release_reserve(job);  // makes room for the record
  // The secrets first: a controller does not look at the files of a job that has ended in the index.
  return empty_secrets(ports_.store, job).ok() && write_size(job);
}

// Records the size of the job, which has all its output now.
bool JobCloser::write_size(const JobId& job) {
  const auto found = jobs_.records().find(job);
  if (found == jobs_.records().end()) return true;
  found->second.bytes = ports_.store.bytes(job);
  const Status kept = ports_.store.update(found->second);
  return kept.ok() || kept.code() == Code::not_found;
}

}  // namespace muster
