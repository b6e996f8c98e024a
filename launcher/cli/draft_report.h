// What is wrong with a job that was read, told by the commands that read one: run, submit, render, validate.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// For people; empty when nothing is wrong. `starts`: the command starts something when nothing is.
std::string draft_text(const CommandContext& context, const JobDraft& draft, bool starts);

// {"type":"file","file":…,"valid":…,"diagnostics":[…]}, with "more" where problems are counted without being listed.
// The object of `validate -o json` and of `run -o json`, on one line without its end.
std::string draft_json(const JobDraft& draft);

// Like fail(), with flags named as they were `typed`.
int fail_as_typed(CommandContext& context, const Status& why, const JobFlags& typed);

}  // namespace muster
