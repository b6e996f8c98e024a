// SPDX-License-Identifier: Apache-2.0
// `muster doctor FILE`: problems of a job file on this machine, as findings.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/doctor/judge_needs.h"
#include "core/client/submission/job_draft.h"
#include "launcher/doctor/doctor.h"

namespace muster {

// Errors become problems, warnings become notes. If the job runs on this machine, also checks that its programs, folders and secrets
// exist. Runs no command of the file, not even those that print secrets.
std::vector<Finding> judge_file(JobDraft draft, const CallerContext& caller);

// What the ranks of a job on hosts start with, so far as its command and its files show.
JobNeeds needs_of(const JobDraft& draft);

// Secrets that are written as plain text in muster's configuration files.
std::vector<Finding> judge_configuration(const CallerContext& caller);

}  // namespace muster
