// Printing the plan of a draft: `muster render` and `run --dry-run`.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// `format`: text, wide, name, json or yaml. A refusal names flags as they were `typed`. The exit code: 8 when this machine, or the
// hosts of the job, can never hold it; 3 when a host did not answer.
int show_plan(CommandContext& context, JobDraft& draft, const JobFlags& typed, const std::string& format);

}  // namespace muster
