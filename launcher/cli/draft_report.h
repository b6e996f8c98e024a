// SPDX-License-Identifier: Apache-2.0
// Reports errors of a job for the commands that read one: run, submit, render, validate.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// Text for people; empty if there is no error. `starts`: the command starts a job if there is no error.
std::string draft_text(const CommandContext& context, const JobDraft& draft, bool starts);

// {"type":"file","file":…,"valid":…,"diagnostics":[…]}, with "more" for problems that are counted but not listed.
// `validate -o json` and `run -o json` print this object. One line, without a newline.
std::string draft_json(const JobDraft& draft);

// The exit code for a draft with errors: that of `unasked` if the file has no other error, else exit_usage.
int exit_code_of(const JobDraft& draft);

// As fail(); the message names flags as the user `typed` them.
int fail_as_typed(CommandContext& context, const Status& why, const JobFlags& typed);

}  // namespace muster
