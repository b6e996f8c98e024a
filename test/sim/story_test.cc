// SPDX-License-Identifier: Apache-2.0
// A few stories for every build that runs unit tests, such as sanitizer builds; test/swarm runs 1,000.

#include "test/sim/story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace muster::sim {
namespace {

class SomeStories : public testing::TestWithParam<uint64_t> {};

TEST_P(SomeStories, EndWellAndTwiceTheSame) {
  StoryPlan plan = plan_of(GetParam());
  plan.shares_files = false;
  EXPECT_THAT(Story(plan).run().breaches, testing::IsEmpty());
  plan.shares_files = true;
  const StoryEnd end = Story(plan).run();
  EXPECT_THAT(end.breaches, testing::IsEmpty());
  EXPECT_EQ(end.hash, Story(plan).run().hash);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SomeStories, testing::Range<uint64_t>(1, 13));

TEST(Story, ATraceTellsTimeNodeEventActionAndSentence) {
  const StoryPlan plan = plan_of(1);
  Trace trace;
  Story(plan, &trace).run();
  std::ostringstream text;
  trace.print(text);
  EXPECT_THAT(text.str(), testing::HasSubstr("time (s)  node"));
  EXPECT_THAT(text.str(), testing::ContainsRegex("controller +job-0: admitted +arm start"));
  EXPECT_THAT(text.str(), testing::ContainsRegex("agent-[0-9]+ +start +spawn"));
}

TEST(Story, MachinesAreWatched) {
  Story::coverage().clear();
  Story(plan_of(1)).run();
  EXPECT_GT(Story::coverage().size(), 20u);
}

TEST(Story, NeighbouringSeedsAreOtherStories) {
  EXPECT_NE(to_text(plan_of(1)), to_text(plan_of(2)));
  EXPECT_NE(plan_of(3).faults, plan_of(4).faults);
}

}  // namespace
}  // namespace muster::sim
