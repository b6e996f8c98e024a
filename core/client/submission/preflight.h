// What can be known to be wrong before anything starts: folders and programs that are not there. For jobs that run
// here (backend local).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

// Where the value at `path` was written, else `origin` without a line.
SourceRange place_of(const Places& places, const std::string& path, const std::string& origin);

// `spec.workdir` is absolute. `environment` is the shell's; `env` of job and group go over it, as for the ranks.
// Each problem is placed where `places` says its value stands, else at `origin`.
std::vector<Diagnostic> preflight(const JobSpec& spec, const std::map<std::string, std::string>& environment,
                                  const Places& places, const std::string& origin);

}  // namespace muster
