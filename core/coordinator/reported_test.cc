// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/reported.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// A gang of two ranks on node 0, in attempt 2. Rank 0 has exited with `code`.
job::State gang(job::Phase phase, int code) {
  job::State state;
  state.phase = phase;
  state.attempt = 2;
  for (int i = 0; i < 2; ++i) state.ranks.push_back({});
  state.ranks.edit(0) = job::RankState{RankPhase::exited, ExitStatus{ExitStatus::Kind::exited, code}};
  return state;
}

Report report_of_both(Attempt attempt) {
  Report report;
  report.attempt = attempt;
  for (uint32_t i = 0; i < 2; ++i) {
    RankReport rank;
    rank.index = i;
    rank.phase = RankPhase::exited;
    report.ranks.push_back(rank);
  }
  return report;
}

size_t facts(job::Phase phase, int code, Attempt attempt = 2) {
  return reported(0, 1, report_of_both(attempt), gang(phase, code)).ranks.size();
}

TEST(Reported, KnownExit_LeftOutIfItCannotMatterAgain) {
  EXPECT_EQ(facts(job::Phase::running, 0), 1u);
  EXPECT_EQ(facts(job::Phase::running, 1), 2u) << "which failure was first is not decided";
  EXPECT_EQ(facts(job::Phase::stopping, 1), 1u);
  EXPECT_EQ(facts(job::Phase::placing, 0), 2u);
  EXPECT_EQ(facts(job::Phase::stopping, 0, 1), 2u) << "a report of another attempt";
}

}  // namespace
}  // namespace muster
