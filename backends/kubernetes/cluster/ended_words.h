// The second of a coordinator's last words (the first is the sentence): numbers that lists of jobs show, where reading each job's log
// would take long. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/port/control_messages.h"

namespace muster::pod {

// "attempt 3, restarts 2, exit code 1, of the rank 7, began 2026-11-23T10:28:40.000Z".
std::string counts_line(const JobView& job);

// What such a line among the words tells; without one `job` stays as it is.
void take_counts(std::string_view failure_message, JobView& job);

}  // namespace muster::pod
