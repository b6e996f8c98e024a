// SPDX-License-Identifier: Apache-2.0
// Finds contradictions in the restart rules of a job. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

struct Contradiction {
  const char* code;
  std::string path;  // of the key, "restarts.always_on.0"
  std::string message;
  std::string help;
  std::string meant;  // suggested replacement; empty: none
};

std::vector<Contradiction> restart_contradictions(const JobSpec& spec);

}  // namespace muster
