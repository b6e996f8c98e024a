// SPDX-License-Identifier: Apache-2.0
// The decisions of the job machine as text.
#pragma once

#include <string>

#include "core/machine/job/job.h"

namespace muster::scenario {

// "running, attempt 1", "done (failed), attempt 4"
std::string tell_phase(const job::State& state);

// "desired state of node-b: stop attempt 1, grace 2s"
std::string tell(const job::Action& action, const job::Rules& rules);

}  // namespace muster::scenario
