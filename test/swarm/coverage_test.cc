// SPDX-License-Identifier: Apache-2.0
// Stories cover every (state, event) pair of the machines, or uncovered.txt says why not or which test covers it.

#include <gtest/gtest.h>

#include <fstream>

#include "test/sim/story.h"

namespace muster::sim {
namespace {

constexpr uint64_t kCoverageSeeds = 250;

struct Reason {
  bool never = false;  // "never": it cannot happen
  std::string text;
};

// A line: the pair, a tab, "never" or "rare", ": " and a text. never: it cannot happen. rare: the named test covers it, and
// stories may.
std::map<std::string, Reason> reasons() {
  std::map<std::string, Reason> all;
  std::ifstream file(MUSTER_SOURCE_DIR "/test/swarm/uncovered.txt");
  EXPECT_TRUE(file.is_open());
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (line.starts_with("#") || tab == std::string::npos) continue;
    const std::string reason = line.substr(tab + 1);
    all[line.substr(0, tab)] = {reason.starts_with("never: "), reason};
  }
  return all;
}

TEST(Coverage, EveryPairIsMetOrThereIsAReason) {
  const std::map<std::string, Reason> known = reasons();
  Story::coverage().clear();
  for (uint64_t seed = 1; seed <= kCoverageSeeds; ++seed) Story(plan_of(seed)).run();
  for (const watch::Pair& pair : watch::all_pairs()) {
    const std::string text = watch::to_text(pair);
    const bool met = Story::coverage().count(pair) > 0;
    const auto reason = known.find(text);
    EXPECT_TRUE(met || reason != known.end()) << text << " is not covered, and uncovered.txt gives no reason";
    EXPECT_FALSE(met && reason != known.end() && reason->second.never) << text << " happened: " << reason->second.text;
  }
}

}  // namespace
}  // namespace muster::sim
