// SPDX-License-Identifier: Apache-2.0
// Checks before a job starts that its folders and programs exist. For jobs on this machine (backend local).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

// The position of the value at `path` in its file, else `origin` without a line.
SourceRange place_of(const Places& places, const std::string& path, const std::string& origin);

// `spec.workdir` is absolute. `environment` is the shell's; `env` of job and group override it, as for the ranks. Each
// problem has the position of its value in `places`, else `origin`.
std::vector<Diagnostic> preflight(const JobSpec& spec, const std::map<std::string, std::string>& environment,
                                  const Places& places, const std::string& origin);

// The value of a variable as the ranks of the group get it: from `env` of group and job, else from the shell. Empty if it
// is unset or a secret.
std::string variable_of_ranks(const JobSpec& spec, const GroupSpec& group, const std::string& name,
                              const std::map<std::string, std::string>& shell);

}  // namespace muster
