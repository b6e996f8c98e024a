// SPDX-License-Identifier: Apache-2.0
// Queries over the attempts of a job. If groups restart independently, each attempt belongs to one group. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

// The attempts that the group took part in, oldest first.
std::vector<const AttemptView*> attempts_of(const JobView& job, const std::string& group);

// The group's newest attempt. Null: none was started.
const AttemptView* newest_attempt_of(const JobView& job, const std::string& group);

// The attempt that failed last. Null: none failed.
const AttemptView* last_failure(const JobView& job);

// Whether muster ended the rank because its attempt had failed: by SIGTERM, or by SIGKILL after the grace time.
bool stopped_with_others(const JobView& job, const RankView& rank);

// The end of a rank, in words: "exited with code 3", "was stopped because another rank failed".
std::string end_of_rank(const JobView& job, const RankView& rank);

// Whether the job or a group was restarted.
bool was_restarted(const JobView& job);

// Whether groups restart independently (restarts.mode: group).
bool by_group(const JobView& job);

// When the attempt failed, was stopped or succeeded; the time until its ranks ended is not included. Zero: it runs.
TimePoint end_of(const AttemptView& attempt);

// The time from the end of the attempt until the next one ran. "–": there is no next one.
std::string recovery_after(const JobView& job, const AttemptView& attempt);

}  // namespace muster
