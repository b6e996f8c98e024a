// SPDX-License-Identifier: Apache-2.0
// Disk space that jobs use on this machine: records and output.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/client/caller_context.h"
#include "core/port/control_messages.h"

namespace muster {

// Bytes by job id, without jobs that have no files here (jobs of a cluster). Reads all folders of the jobs, which is slow for thousands.
std::map<JobId, uint64_t> job_sizes(const CallerContext& caller, const std::vector<JobView>& jobs);

}  // namespace muster
