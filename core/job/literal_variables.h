// SPDX-License-Identifier: Apache-2.0
// Warns about `$NAME` and `${NAME}` in a job file: muster replaces no variables there, so ranks get the text. Pure.
#pragma once

#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/job_spec.h"

namespace muster {

// A warning for each value of `env`, and each command, that a file says and that contains such a text. Not for commands
// with a shell or with code, which replace variables themselves, and not for values of flags, which a shell has read.
std::vector<Diagnostic> literal_variables(const JobSpec& spec, const Places& places);

}  // namespace muster
