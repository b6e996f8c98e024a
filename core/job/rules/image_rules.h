// SPDX-License-Identifier: Apache-2.0
// Contradictions between the key `in_image` and the rest of a job. Pure.
#pragma once

#include <vector>

#include "core/job/job_spec.h"
#include "core/job/rules/contradiction.h"

namespace muster {

std::vector<Contradiction> image_contradictions(const JobSpec& spec);

}  // namespace muster
