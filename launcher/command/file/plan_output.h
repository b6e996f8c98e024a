// SPDX-License-Identifier: Apache-2.0
// Printing the plan of a draft: `muster render` and `run --dry-run`.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// `format`: text, wide, name, json or yaml. Errors name flags as the user `typed` them. Returns the exit code: 8 if the job
// needs more than this machine or its hosts have; 3 if a host did not answer.
int show_plan(CommandContext& context, JobDraft& draft, const JobFlags& typed, const std::string& format);

}  // namespace muster
