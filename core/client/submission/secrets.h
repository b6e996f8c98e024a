// SPDX-License-Identifier: Apache-2.0
// Reads the values of a job's secrets on this machine when the job is submitted. They are sent to the controller beside
// the spec, and are never part of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

struct ResolvedSecrets {
  std::map<std::string, std::string> values;  // by variable
  std::vector<Diagnostic> diagnostics;        // one for each secret that is missing and not optional
};

// Sources: `env:` reads a variable of `environment`. `file:` reads a file, relative to the spec's absolute workdir, or a pipe
// that has a writer, for at most 10 s, without the last line end. `cmd:` runs a program in the workdir, without a shell, for
// at most 10 s, and takes its stdout without the last line end; its stderr is inherited. `manifest:` takes the value from `manifest`, which
// has those of the manifest's Secrets. A value with a NUL byte counts as missing. A diagnostic has the position of the variable in `places`, else `origin`.
ResolvedSecrets resolve_secrets(const JobSpec& spec, const std::map<std::string, std::string>& environment,
                                const Places& places, const std::string& origin,
                                const std::map<std::string, std::string>& manifest = {});

}  // namespace muster
