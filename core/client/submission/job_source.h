// SPDX-License-Identifier: Apache-2.0
// Reads the text of a job file, and explains the mistake if the argument is not a job file. Reads files of this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

// The text of the job file `file` as it was typed; "-" is standard input. The messages of not_found and invalid_argument
// suggest what was probably meant: a similar file, or the command `typed` (JobFlags) with the program after `--`.
Result<std::string> read_job_source(const std::string& file, const std::vector<std::string>& typed,
                                    const CallerContext& caller);

// The name of Python in this shell: python, or python3 if there is no python.
std::string python_here(const CallerContext& caller);

// Completes a command that begins with a script, so that it can be started: "train.py" → "python train.py", "run.sh" →
// "./run.sh". Empty if it begins with a job file.
std::function<std::vector<std::string>(std::vector<std::string>)> runnable_here(const CallerContext& caller);

}  // namespace muster
