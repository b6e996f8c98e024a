// What jobs take on this machine's disk: their record and their output.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/client/caller_context.h"
#include "core/port/control_messages.h"

namespace muster {

// By id; of those that have nothing here (jobs of a cluster) none. Reads their folders, so that it takes a while for thousands.
std::map<JobId, uint64_t> job_sizes(const CallerContext& caller, const std::vector<JobView>& jobs);

}  // namespace muster
