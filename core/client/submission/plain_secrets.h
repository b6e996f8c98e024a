// SPDX-License-Identifier: Apache-2.0
// Finds secrets that are written in `env` as plain text; a reference would keep them out of the job's record. A guess
// (looks_secret()); a warning, never an error. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// E1411 for each such variable of the job and its groups, at its position in `places`, else at `origin`.
std::vector<Diagnostic> plain_secrets(const JobSpec& spec, const Places& places, const std::string& origin);

// Replaces those values in `sources` by asterisks, so that messages that quote lines do not show them.
void blot_secrets(const JobSpec& spec, std::vector<SourceText>& sources);

}  // namespace muster
