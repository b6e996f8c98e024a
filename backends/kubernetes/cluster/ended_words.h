// SPDX-License-Identifier: Apache-2.0
// The second line of a coordinator's termination message (the first is the sentence). It holds the numbers that lists of jobs show, because
// reading every job's log would take long. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/port/control_messages.h"

namespace muster::pod {

// "attempt 3, restarts 2, exit code 1, of the rank 7, began 2026-11-23T10:28:40.000Z".
std::string counts_line(const JobView& job);

// Reads such a line from a termination message into `job`. Without one, `job` is unchanged.
void take_counts(std::string_view termination_message, JobView& job);

}  // namespace muster::pod
