// SPDX-License-Identifier: Apache-2.0
// StoryPlan: the world, jobs and schedule of faults of a seed, as data. The same seed gives the same plan.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/job/job_spec.h"
#include "test/sim/fault.h"

namespace muster::sim {

// The behaviour of a job's ranks, in percent of (rank, attempt).
struct RankMix {
  uint32_t fails = 0;
  uint32_t cannot_start = 0;
  uint32_t ignores_term = 0;
  uint32_t leaves_daemons = 0;
  Duration longest_run{0};
  Duration longest_death{0};
  bool meets = true;  // uses the rendezvous
};

struct JobPlan {
  Duration at{0};
  JobSpec spec;
  RankMix ranks;
};

struct StoryPlan {
  uint64_t seed = 1;
  uint32_t hosts = 1;
  bool fixed_hosts = false;
  bool shares_files = true;
  Duration longest_delay{0};
  Duration patience{0};  // after which a silent link is given up
  std::vector<JobPlan> jobs;
  std::vector<Fault> faults;
  bool calm = false;  // there are no faults, so no job may fail or restart
};

inline constexpr Duration kFaultWindow = std::chrono::minutes(3);

StoryPlan plan_of(uint64_t seed);

std::string to_text(const StoryPlan& plan);

}  // namespace muster::sim
