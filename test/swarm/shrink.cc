// SPDX-License-Identifier: Apache-2.0
#include "test/swarm/shrink.h"

#include <algorithm>

namespace muster::sim {
namespace {

using Numbers = std::set<size_t>;

Numbers all(size_t count) {
  Numbers numbers;
  for (size_t i = 0; i < count; ++i) numbers.insert(numbers.end(), i);
  return numbers;
}

// The numbers without the `part`-th of `parts` parts.
Numbers without(const Numbers& numbers, size_t part, size_t parts) {
  Numbers left;
  size_t place = 0;
  for (const size_t number : numbers) {
    if (place++ * parts / numbers.size() != part) left.insert(number);
  }
  return left;
}

// Removes halves, then quarters, down to single numbers, until none can be removed.
Numbers smallest(Numbers numbers, const std::function<bool(const Numbers&)>& fails) {
  for (size_t parts = 2; !numbers.empty();) {
    parts = std::min(parts, numbers.size());
    bool smaller = false;
    for (size_t part = 0; part < parts && !smaller; ++part) {
      const Numbers left = without(numbers, part, parts);
      if (!fails(left)) continue;
      numbers = left;
      smaller = true;
    }
    if (smaller) {
      parts = std::max<size_t>(2, parts - 1);
    } else if (parts >= numbers.size()) {
      break;
    } else {
      parts *= 2;
    }
  }
  return numbers;
}

}  // namespace

Cut shrink(const StoryPlan& plan, const std::function<bool(const Cut&)>& fails) {
  Cut cut;
  const auto jobs_fail = [&](const Numbers& jobs) {
    Cut tried = cut;
    tried.jobs = jobs;
    return !jobs.empty() && fails(tried);
  };
  const auto faults_fail = [&](const Numbers& faults) {
    Cut tried = cut;
    tried.faults = faults;
    return fails(tried);
  };
  cut.jobs = smallest(all(plan.jobs.size()), jobs_fail);
  cut.faults = smallest(all(plan.faults.size()), faults_fail);
  cut.jobs = smallest(*cut.jobs, jobs_fail);
  Cut calm = cut;
  calm.calm = true;
  return fails(calm) ? calm : cut;
}

}  // namespace muster::sim
