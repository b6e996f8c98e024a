// SPDX-License-Identifier: Apache-2.0
// Finds contradictions in the restart rules of a job. Pure.
#pragma once

#include <vector>

#include "core/job/job_spec.h"
#include "core/job/rules/contradiction.h"

namespace muster {

std::vector<Contradiction> restart_contradictions(const JobSpec& spec);

}  // namespace muster
