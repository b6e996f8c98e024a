// Printing the plan of a draft: `muster render` and `run --dry-run`.
#pragma once

#include <string>

#include "launcher/command/command.h"
#include "launcher/submission/job_draft.h"

namespace muster {

// `format`: text, wide, name, json or yaml. The exit code: 8 when this machine can never hold the job.
int show_plan(CommandContext& context, const JobDraft& draft, const std::string& format);

}  // namespace muster
