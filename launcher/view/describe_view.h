// SPDX-License-Identifier: Apache-2.0
// `muster describe`: the details of one job. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// `disk_bytes`: disk space that the job uses on this machine; 0: none, or not known.
std::string describe_view(const JobView& job, const Style& style, uint64_t disk_bytes = 0);

// The command of each group, with the group's name if there are several groups.
std::vector<std::string> commands_of(const JobView& job);

// The first failure of an attempt as a sentence: "rank 1 raised RuntimeError …"; "–" if there is none.
std::string failure_of(const JobView& job, const AttemptView& attempt);

// Duration of the attempt: from the time when all ranks ran, or else from its placement, to its end. "–" while it runs.
std::string lifetime_of(const AttemptView& attempt);

}  // namespace muster
