// The table of `muster ps`. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/port/control_messages.h"
#include "launcher/view/style.h"

namespace muster {

// One line per job, newest first; `wide` adds id, attempt, framework and workdir. "" for no jobs.
std::string jobs_table(std::vector<JobView> jobs, const Style& style, bool wide);

}  // namespace muster
