// SPDX-License-Identifier: Apache-2.0
#include "core/machine/worker/leftover.h"

#include <gtest/gtest.h>

namespace muster::leftover {
namespace {

using std::chrono::seconds;

class LeftoverTest : public testing::Test {
 protected:
  Verdict at(Duration after) const { return judge(facts_, situation_, ended_ + after); }
  void stop(Duration grace, bool again, bool last = false) {
    situation_.stop = Stop{ended_ + grace, SIGUSR1, again, last};
  }

  const TimePoint ended_ = from_unix_nanos(0) + seconds(100);
  Facts facts_;
  Situation situation_{LeftoverSpec{LeftoverAction::wait, seconds(10)}, ended_, std::nullopt};
};

TEST_F(LeftoverTest, AttemptRuns_NothingHappens) {
  situation_.over.reset();
  EXPECT_EQ(at(seconds(100)), (Verdict{0, std::nullopt, true, Loss::none}));
}

TEST_F(LeftoverTest, Wait_GraceEnds_AskedThenKilled) {
  EXPECT_EQ(at(seconds(0)), (Verdict{0, ended_ + seconds(10), true, Loss::none}));
  EXPECT_EQ(at(seconds(10)), (Verdict{SIGTERM, ended_ + seconds(12), true, Loss::grace}));
  EXPECT_EQ(at(seconds(12)), (Verdict{SIGKILL, std::nullopt, true, Loss::grace}));
}

TEST_F(LeftoverTest, WaitWithoutGrace_KilledAtOnce) {
  situation_.spec.grace = Duration(0);
  EXPECT_EQ(at(seconds(0)), (Verdict{SIGKILL, std::nullopt, true, Loss::grace}));
}

TEST_F(LeftoverTest, Stop_AskedAtOnceAndKilledAfterTheGrace) {
  situation_.spec.action = LeftoverAction::stop;
  EXPECT_EQ(at(seconds(0)), (Verdict{SIGTERM, ended_ + seconds(10), true, Loss::none}));
  EXPECT_EQ(at(seconds(10)), (Verdict{SIGKILL, std::nullopt, true, Loss::grace}));
}

TEST_F(LeftoverTest, RankIsStopped_ItsProcessesGetTheSignalAndTheRestOfTheGrace) {
  situation_.over.reset();
  facts_.in_session = true;
  stop(seconds(30), false);
  EXPECT_EQ(at(seconds(3)), (Verdict{SIGUSR1, ended_ + seconds(30), true, Loss::none}));
  EXPECT_EQ(at(seconds(30)), (Verdict{SIGKILL, std::nullopt, true, Loss::stop}));
}

TEST_F(LeftoverTest, RankIsStopped_AReaderIsAskedAfterItsWriters) {
  situation_.over.reset();
  facts_.in_session = facts_.reads = true;
  stop(seconds(30), false);
  EXPECT_EQ(at(seconds(3)), (Verdict{0, ended_ + seconds(30), true, Loss::none}));
  EXPECT_EQ(at(seconds(30)), (Verdict{SIGKILL, std::nullopt, true, Loss::stop}));
  facts_.read = ended_ + seconds(5);
  EXPECT_EQ(at(seconds(6)), (Verdict{0, ended_ + seconds(7), true, Loss::none}));
  EXPECT_EQ(at(seconds(7)), (Verdict{SIGUSR1, ended_ + seconds(30), true, Loss::none}));
}

TEST_F(LeftoverTest, RankFinished_StopOfTheJobDoesNotCutItsBackgroundWork) {
  facts_.in_session = facts_.finished = true;
  stop(seconds(30), false);
  EXPECT_EQ(at(seconds(0)), (Verdict{0, ended_ + seconds(10), true, Loss::none}));
}

TEST_F(LeftoverTest, Restart_HelperFinishesBesideTheNextAttempt) {
  stop(seconds(2), true);
  EXPECT_EQ(at(seconds(0)), (Verdict{0, ended_ + seconds(10), false, Loss::none}));
}

TEST_F(LeftoverTest, Restart_HelperWithAGpuOrAPort_IsEndedBeforeTheNextAttempt) {
  EXPECT_FALSE(needs_resources(facts_, situation_));
  stop(seconds(2), true);
  EXPECT_TRUE(needs_resources(facts_, situation_));
  facts_.holds = true;
  EXPECT_EQ(at(seconds(0)), (Verdict{SIGTERM, ended_ + seconds(2), true, Loss::restart}));
  EXPECT_EQ(at(seconds(2)), (Verdict{SIGKILL, std::nullopt, true, Loss::restart}));
}

TEST_F(LeftoverTest, Restart_ProcessOfTheRankItself_IsEndedBeforeTheNextAttempt) {
  facts_.in_session = facts_.finished = true;
  stop(seconds(2), true);
  EXPECT_EQ(at(seconds(0)), (Verdict{SIGTERM, ended_ + seconds(2), true, Loss::restart}));
}

TEST_F(LeftoverTest, EarlierAttempt_KeepsItsOwnTimeWhileTheNextOneRuns) {
  situation_.over.reset();
  facts_.earlier = ended_;
  EXPECT_EQ(at(seconds(9)).signal, 0);
  EXPECT_EQ(at(seconds(10)), (Verdict{SIGTERM, ended_ + seconds(12), true, Loss::grace}));
  EXPECT_EQ(at(seconds(12)).signal, SIGKILL);
}

TEST_F(LeftoverTest, EarlierAttempt_IsWaitedForWhenTheLastAttemptIsOver) {
  situation_.over = ended_ + seconds(4);
  facts_.earlier = ended_;
  EXPECT_EQ(at(seconds(5)), (Verdict{0, ended_ + seconds(10), true, Loss::none}));
}

TEST_F(LeftoverTest, NodeIsDrained_NothingRunsAfterTheDeadline) {
  stop(seconds(5), false, true);
  EXPECT_EQ(at(seconds(0)), (Verdict{0, ended_ + seconds(5), true, Loss::none}));
  EXPECT_EQ(at(seconds(5)), (Verdict{SIGKILL, std::nullopt, true, Loss::none}));
}

TEST_F(LeftoverTest, RanksAreKilled_LeftoversToo) {
  facts_.in_session = true;
  stop(seconds(0), true, true);
  EXPECT_EQ(at(seconds(0)).signal, SIGKILL);
  facts_.in_session = false;
  EXPECT_EQ(at(seconds(0)).signal, SIGKILL);
}

}  // namespace
}  // namespace muster::leftover
