// SPDX-License-Identifier: Apache-2.0
// 1,000 stories from seeds, each run twice (docs/design/job-machine.md), and the seeds that failed once. A failure names its seed;
// build/dev/test/swarm/swarm runs it again, traces it and shrinks it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "test/sim/story.h"
#include "test/swarm/commit.h"

namespace muster::sim {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr uint64_t kShares = 20;

std::string how_to_replay(uint64_t seed) {
  return "seed " + std::to_string(seed) + " at commit " + commit_of(MUSTER_SOURCE_DIR) +
         "; to trace it: scripts/swarm --seed " + std::to_string(seed) + " --trace, to make it smaller: --shrink";
}

// True: both runs ended without a breach and are the same.
bool run_twice(uint64_t seed, std::map<std::string, uint64_t>& ends) {
  SCOPED_TRACE(how_to_replay(seed));
  const StoryPlan plan = plan_of(seed);
  const StoryEnd end = Story(plan).run();
  const StoryEnd again = Story(plan).run();
  EXPECT_THAT(end.breaches, testing::IsEmpty());
  EXPECT_EQ(end.hash, again.hash) << "the same seed gave a different story";
  for (const auto& [state, count] : end.ends) ends[state] += count;
  return end.breaches.empty() && end.hash == again.hash;
}

class Seeds : public testing::TestWithParam<uint64_t> {};

TEST_P(Seeds, EveryJobEndsOnceFaultsStopAndWhatMustHoldHasHeld) {
  std::map<std::string, uint64_t> ends;
  const uint64_t first = 1 + GetParam() * kSeeds / kShares;
  for (uint64_t seed = first; seed < first + kSeeds / kShares; ++seed) {
    if (!run_twice(seed, ends)) return;
  }
  // If every job failed, or none, the test would prove little.
  EXPECT_GT(ends["succeeded"], 0u);
  EXPECT_GT(ends["failed"], 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Seeds, testing::Range<uint64_t>(0, kShares));

// regressions.txt: lines with a seed and the reason.
TEST(Regressions, SeedsThatFailedOnceEndWell) {
  std::ifstream file(MUSTER_SOURCE_DIR "/test/swarm/regressions.txt");
  ASSERT_TRUE(file.is_open());
  std::map<std::string, uint64_t> ends;
  for (std::string line; std::getline(file, line);) {
    if (const uint64_t seed = std::strtoull(line.c_str(), nullptr, 10); seed > 0) run_twice(seed, ends);
  }
}

}  // namespace
}  // namespace muster::sim
