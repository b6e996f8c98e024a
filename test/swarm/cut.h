// Cut: what is left of a plan when parts of it are taken out: so a failure is made small, and played again.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "test/sim/story_plan.h"

namespace muster::sim {

struct Cut {
  std::optional<std::set<size_t>> faults;  // that stay; nothing: all
  std::optional<std::set<size_t>> jobs;
  bool calm = false;  // a network without delays
  bool operator==(const Cut&) const = default;
};

StoryPlan cut_out(StoryPlan plan, const Cut& cut);

// As arguments of swarm: "--faults 2,5 --jobs 0 --calm"; `--faults none`.
std::string to_arguments(const Cut& cut);

}  // namespace muster::sim
