// SPDX-License-Identifier: Apache-2.0
// The task types of a TensorFlow cluster. Each group of a job with `framework: tensorflow` is one of them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

// In the order in which messages name them.
const std::vector<std::string>& task_types();

// The task type of a group: its name. The only group of a job may have any name; it is then `worker`.
std::string task_type(const JobSpec& spec, uint32_t group);

}  // namespace muster
