// SPDX-License-Identifier: Apache-2.0
// Files of jobs on this machine: the space of records and output, and whether ranks printed anything.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/client/caller_context.h"
#include "core/port/control_messages.h"

namespace muster {

// Bytes by job id, without jobs that have no files here (jobs of a cluster). Reads all folders of the jobs, which is slow for thousands.
std::map<JobId, uint64_t> job_sizes(const CallerContext& caller, const std::vector<JobView>& jobs);

// Whether the files of a job of this machine show that the rank that failed first in the attempt, or with no such rank all its
// ranks, printed nothing.
bool printed_nothing(const CallerContext& caller, const JobView& job, const AttemptView& attempt);

}  // namespace muster
