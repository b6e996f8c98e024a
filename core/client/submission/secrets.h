// Values of the secrets a job refers to, taken on this machine when it is submitted. They go to the controller
// beside the spec, never into it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

struct ResolvedSecrets {
  std::map<std::string, std::string> values;  // by variable
  std::vector<Diagnostic> diagnostics;        // one for each that is missing and not optional
};

// env: from `environment`; file: its text without the last end of line, relative to `workdir`; cmd: its stdout
// likewise, run without a shell for at most 10 s, its stderr ours. Both are meant from the spec's workdir, which is
// absolute. What is missing is placed where `places` says its variable stands, else at `origin`.
ResolvedSecrets resolve_secrets(const JobSpec& spec, const std::map<std::string, std::string>& environment,
                                const Places& places, const std::string& origin);

}  // namespace muster
