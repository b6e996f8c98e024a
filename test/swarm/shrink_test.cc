// SPDX-License-Identifier: Apache-2.0
#include "test/swarm/shrink.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

StoryPlan plan_with(size_t faults, size_t jobs) {
  StoryPlan plan;
  plan.faults.resize(faults);
  plan.jobs.resize(jobs);
  return plan;
}

TEST(Shrink, LeavesWhatAFailureNeeds) {
  const StoryPlan plan = plan_with(23, 3);
  const auto needs = [&](const Cut& cut) {
    const bool faults = !cut.faults || (cut.faults->count(4) > 0 && cut.faults->count(19) > 0);
    return faults && (!cut.jobs || cut.jobs->count(1) > 0) && !cut.calm;
  };
  const Cut cut = shrink(plan, needs);
  EXPECT_EQ(to_arguments(cut), " --faults 4,19 --jobs 1");
  EXPECT_EQ(cut_out(plan, cut).faults.size(), 2u);
}

TEST(Shrink, AFailureThatNeedsNothingKeepsOneJob) {
  const Cut cut = shrink(plan_with(5, 2), [](const Cut&) { return true; });
  EXPECT_EQ(cut.faults->size(), 0u);
  EXPECT_EQ(cut.jobs->size(), 1u);
  EXPECT_TRUE(cut.calm);
}

}  // namespace
}  // namespace muster::sim
