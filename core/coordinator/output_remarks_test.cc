// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/output_remarks.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Submission two_ranks() {
  Submission submission;
  submission.spec.groups.resize(1);
  submission.spec.logs.max_bytes = 1 << 20;
  submission.plan.ranks.resize(2);
  submission.plan.ranks[1].world_rank = 1;
  return submission;
}

Report dropped(uint32_t index, uint64_t bytes, RankPhase phase, Attempt attempt = 1) {
  RankReport rank;
  rank.index = index;
  rank.dropped_bytes = bytes;
  rank.phase = phase;
  Report report;
  report.attempt = attempt;
  report.ranks = {rank};
  return report;
}

TEST(OutputRemarks, DroppedOutputIsToldWhenItBeginsAndInSumAtTheEnd) {
  OutputRemarks remarks;
  const Submission submission = two_ranks();
  EXPECT_THAT(remarks.heard(submission, dropped(1, 0, RankPhase::running)), IsEmpty());
  EXPECT_THAT(remarks.heard(submission, dropped(1, 1 << 20, RankPhase::running)),
              ElementsAre("dropped the oldest 1 MiB of the output of rank 1: logs.max is 1 MiB"));
  EXPECT_THAT(remarks.heard(submission, dropped(1, 2 << 20, RankPhase::running)), IsEmpty());
  EXPECT_THAT(remarks.heard(submission, dropped(1, 3 << 20, RankPhase::exited)),
              ElementsAre("dropped the oldest 3 MiB of the output of rank 1: logs.max is 1 MiB"));
  EXPECT_THAT(remarks.heard(submission, dropped(1, 3 << 20, RankPhase::exited)), IsEmpty()) << "reports are repeated";
}

TEST(OutputRemarks, EachAttemptDropsItsOwn) {
  OutputRemarks remarks;
  const Submission submission = two_ranks();
  EXPECT_EQ(remarks.heard(submission, dropped(0, 1 << 20, RankPhase::exited, 1)).size(), 1u);
  EXPECT_EQ(remarks.heard(submission, dropped(0, 1 << 20, RankPhase::exited, 2)).size(), 1u);
}

TEST(OutputRemarks, ATroubleIsToldOnceAndAStrangersRankNotAtAll) {
  OutputRemarks remarks;
  const Submission submission = two_ranks();
  Report report = dropped(7, 1 << 20, RankPhase::exited);
  report.trouble = "the disk is full";
  EXPECT_THAT(remarks.heard(submission, report), ElementsAre("the disk is full"));
  EXPECT_THAT(remarks.heard(submission, report), IsEmpty());
}

}  // namespace
}  // namespace muster
