// Where a job's text comes from, and what to say when the word in its place names something else. Looks at this
// machine's files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

// The text of the job file `file` as it was typed; "-" is standard input. not_found and invalid_argument say what was
// probably meant: `typed` is the command with its flags (JobFlags), repeated with the program behind `--`.
Result<std::string> read_job_source(const std::string& file, const std::vector<std::string>& typed,
                                    const CallerContext& caller);

// Makes words that begin with a script what can be run here: "train.py" → "python train.py", "run.sh" → "./run.sh".
// Empty for those that begin with a job file.
std::function<std::vector<std::string>(std::vector<std::string>)> runnable_here(const CallerContext& caller);

}  // namespace muster
