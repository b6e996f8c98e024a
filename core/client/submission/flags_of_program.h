// SPDX-License-Identifier: Apache-2.0
// Finds flags of muster among the words after `--`, which the program gets.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/job_flags.h"

namespace muster {

// A sentence about the first flag that is probably meant for muster: it has the name of a flag that describes jobs, and no file that
// the command names, nor another Python file in the folder of such a script, has that name in its text. Empty: there is none, or
// the command names no readable file. Reads files.
std::string misplaced_flag(const std::vector<std::string>& command, const std::string& workdir, const JobFlags& flags);

}  // namespace muster
