// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/attempts_view.h"

#include <algorithm>
#include <csignal>

#include "core/base/text.h"

namespace muster {
namespace {

// True if `one` ended before `other`. An attempt that has failed but not ended yet counts as the latest.
bool failed_before(const AttemptView& one, const AttemptView& other) {
  if (other.ended == TimePoint()) return true;
  return one.ended != TimePoint() && one.ended <= other.ended;
}

}  // namespace

std::vector<const AttemptView*> attempts_of(const JobView& job, const std::string& group) {
  std::vector<const AttemptView*> attempts;
  for (const AttemptView& attempt : job.attempts) {
    if (attempt.group.empty() || attempt.group == group) attempts.push_back(&attempt);
  }
  return attempts;
}

const AttemptView* newest_attempt_of(const JobView& job, const std::string& group) {
  const std::vector<const AttemptView*> attempts = attempts_of(job, group);
  return attempts.empty() ? nullptr : attempts.back();
}

const AttemptView* last_failure(const JobView& job) {
  const AttemptView* last = nullptr;
  for (const AttemptView& attempt : job.attempts) {
    if (!attempt.cause.empty() && (last == nullptr || failed_before(*last, attempt))) last = &attempt;
  }
  return last;
}

bool stopped_with_others(const JobView& job, const RankView& rank) {
  const AttemptView* attempt = newest_attempt_of(job, rank.group);
  if (attempt == nullptr || !rank.exit || rank.exit->oom) return false;
  const bool failed = !attempt->cause.empty() || (by_group(job) && job.state == "failed");
  const bool ours = rank.exit->signal == SIGTERM || rank.exit->signal == SIGKILL;
  return failed && rank.exit->kind == ExitStatus::Kind::signalled && ours && attempt->culprit != rank.index;
}

std::string end_of_rank(const JobView& job, const RankView& rank) {
  if (!stopped_with_others(job, rank)) return describe_exit(*rank.exit);
  const AttemptView& attempt = *newest_attempt_of(job, rank.group);
  if (!rank.exit->service_failed && !rank.exit->detail.empty()) return describe_exit(*rank.exit);
  if (rank.exit->service_failed || attempt.culprit_exit.service_failed) return "was stopped because a service failed";
  const bool by_a_rank = attempt.culprit || attempt.cause.empty();
  return by_a_rank ? "was stopped because another rank failed" : "was stopped because the attempt failed";
}

TimePoint end_of(const AttemptView& attempt) {
  return attempt.stopping == TimePoint() ? attempt.ended : attempt.stopping;
}

bool was_restarted(const JobView& job) {
  return std::any_of(job.attempts.begin(), job.attempts.end(),
                     [](const AttemptView& attempt) { return attempt.attempt > 1; });
}

bool by_group(const JobView& job) { return !job.attempts.empty() && !job.attempts.front().group.empty(); }

std::string recovery_after(const JobView& job, const AttemptView& attempt) {
  const std::vector<const AttemptView*> attempts = attempts_of(job, attempt.group);
  const auto next = std::find_if(attempts.begin(), attempts.end(),
                                 [&](const AttemptView* other) { return other->attempt > attempt.attempt; });
  if (next == attempts.end()) return "–";
  const TimePoint running = (*next)->running;
  const TimePoint end = end_of(attempt);
  return end == TimePoint() || running < end ? "–" : humane_duration(running - end);
}

}  // namespace muster
