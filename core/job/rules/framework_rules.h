// SPDX-License-Identifier: Apache-2.0
// Finds what a framework cannot have in a job: its groups, and the variables in `env`. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "core/job/job_spec.h"
#include "core/job/rules/contradiction.h"

namespace muster {

// The variables by which the ranks of a framework find each other, and which neither `env` nor the program may set.
// Empty: the user's own values are allowed.
std::vector<std::string_view> fixed_variables(Framework framework);

std::vector<Contradiction> framework_contradictions(const JobSpec& spec);

}  // namespace muster
