// `muster doctor FILE`: what of a job file stands in its way on this machine, as findings.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/job_draft.h"
#include "launcher/doctor/doctor.h"

namespace muster {

// Mistakes are problems, warnings are notes. Programs, folders and secrets are looked for, where the job runs here; no command of
// the file is run, those that print secrets neither.
std::vector<Finding> judge_file(JobDraft draft, const CallerContext& caller);

// Secrets that the configuration of muster has in plain sight, whatever job comes.
std::vector<Finding> judge_configuration(const CallerContext& caller);

}  // namespace muster
