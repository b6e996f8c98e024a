// SPDX-License-Identifier: Apache-2.0
// The rank and its position in the job, as read from the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/worker/client/frames.h"

namespace muster::worker {

struct Place {
  Asker asker;
  std::string socket;
  std::string address;
  std::string job;
  std::string job_id;
  std::string group;
  uint32_t rank = 0;
  uint32_t world_size = 1;
  uint32_t local_rank = 0;
  uint32_t local_size = 1;
  uint32_t node = 0;
  uint32_t restarts = 0;
};

using Lookup = std::function<const char*(const char* name)>;  // null: not set
// failed_precondition: muster did not start this program. invalid_argument: a variable has a value that muster does not set.
Result<Place> place_from(const Lookup& lookup);
// The place after a rejoin, from the variables of the new attempt.
Result<Place> place_from(const std::map<std::string, std::string>& environment);

}  // namespace muster::worker
