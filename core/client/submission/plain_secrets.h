// Secrets that stand in `env` as they are, where a reference would keep them out of the job's record. A guess by names and by the
// forms that tokens have; a warning, never an error. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// Whether a variable of this name with this value holds a secret, as far as one can tell.
bool looks_secret(const std::string& name, const std::string& value);

// E1411, one for each such variable of the job and its groups, placed where `places` says it stands, else at `origin`.
std::vector<Diagnostic> plain_secrets(const JobSpec& spec, const Places& places, const std::string& origin);

// `sources` without those values: what quotes lines does not show them either.
void blot_secrets(const JobSpec& spec, std::vector<SourceText>& sources);

}  // namespace muster
