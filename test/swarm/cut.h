// SPDX-License-Identifier: Apache-2.0
// Cut: the parts of a plan that remain when others are removed. It makes a failing story smaller, and repeats it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "test/sim/story_plan.h"

namespace muster::sim {

struct Cut {
  std::optional<std::set<size_t>> faults;  // that remain; nothing: all
  std::optional<std::set<size_t>> jobs;
  bool calm = false;  // a network without delays
  bool operator==(const Cut&) const = default;
};

StoryPlan cut_out(StoryPlan plan, const Cut& cut);

// As arguments of swarm: "--faults 2,5 --jobs 0 --calm"; `--faults none`.
std::string to_arguments(const Cut& cut);

}  // namespace muster::sim
