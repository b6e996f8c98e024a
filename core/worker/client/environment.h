// A rank's place, as its environment tells it.
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
// failed_precondition: this program is no rank of a job. invalid_argument: a variable is not what muster writes.
Result<Place> place_from(const Lookup& lookup);
// The place after a rejoin: what `environment` names is new.
Result<Place> place_from(const std::map<std::string, std::string>& environment);

}  // namespace muster::worker
