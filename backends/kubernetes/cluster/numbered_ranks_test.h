// SPDX-License-Identifier: Apache-2.0
// A job with ranks 0 to N - 1, for tests.
#pragma once

#include <string>

#include "core/port/control_messages.h"

namespace muster {

inline JobView job_of_ranks(uint32_t ranks) {
  JobView job;
  for (uint32_t i = 0; i < ranks; ++i) {
    RankView rank;
    rank.index = i;
    rank.name = "rank " + std::to_string(i);
    job.ranks.push_back(rank);
  }
  return job;
}

}  // namespace muster
