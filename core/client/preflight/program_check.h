// SPDX-License-Identifier: Apache-2.0
// Checks before a job starts that its Python programs agree with its framework: the interpreter has the package, and the
// program leaves the variables of the attempt alone. For jobs on this machine (backend local).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

// The arguments are those of preflight(). May run the interpreter of a group once, for 10 s at most.
std::vector<Diagnostic> check_framework_programs(const JobSpec& spec,
                                                 const std::map<std::string, std::string>& environment,
                                                 const Places& places, const std::string& origin);

}  // namespace muster
