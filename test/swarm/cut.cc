// SPDX-License-Identifier: Apache-2.0
#include "test/swarm/cut.h"

namespace muster::sim {
namespace {

template <typename Part>
void keep(std::vector<Part>& parts, const std::optional<std::set<size_t>>& kept) {
  if (!kept) return;
  std::vector<Part> left;
  for (const size_t i : *kept) {
    if (i < parts.size()) left.push_back(parts[i]);
  }
  parts = std::move(left);
}

std::string list(const std::set<size_t>& numbers) {
  std::string text;
  for (const size_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text.empty() ? "none" : text;
}

}  // namespace

StoryPlan cut_out(StoryPlan plan, const Cut& cut) {
  keep(plan.faults, cut.faults);
  keep(plan.jobs, cut.jobs);
  if (cut.calm) plan.longest_delay = std::chrono::milliseconds(1);
  return plan;
}

std::string to_arguments(const Cut& cut) {
  std::string text;
  if (cut.faults) text += " --faults " + list(*cut.faults);
  if (cut.jobs) text += " --jobs " + list(*cut.jobs);
  return text + (cut.calm ? " --calm" : "");
}

}  // namespace muster::sim
