// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/gang.h"

#include <gtest/gtest.h>

namespace muster::watchdog {
namespace {

using job::HangKind;
using std::chrono::minutes;
using std::chrono::seconds;

class GangWatchdog : public testing::Test {
 protected:
  void hear_all(Duration silent, Duration still) {
    for (uint32_t i = 0; i < steps_.size(); ++i)
      hear(state_, i, RankSeen{"rank " + std::to_string(i), {}, silent, still, steps_[i], standing_});
  }
  // Time without activity of any rank; `computing`: except CPU time.
  void stand_still(Duration time, bool computing = false) {
    for (Duration passed{0}; passed < time; passed += seconds(1)) {
      still_ += seconds(1);
      hear_all(computing ? Duration(0) : still_, still_);
      beat(state_, seconds(1));
      now_ += seconds(1);
    }
  }
  void steps(int count, Duration each) {
    for (int i = 0; i < count; ++i) {
      stand_still(each);
      still_ = Duration(0);
      for (auto& step : steps_) step = step.value_or(0) + 1;
      hear_all(still_, still_);
    }
  }
  HangKind gang() const {
    for (const job::Judged& verdict : judge(state_, now_).standing) {
      if (!verdict.rank) return verdict.kind;
    }
    return HangKind::none;
  }
  void begin_with(HangSpec rules) { state_ = begin(rules, 1); }

  GangState state_ = begin({HangAction::report, minutes(10), false}, 1);
  std::vector<std::optional<uint64_t>> steps_ = std::vector<std::optional<uint64_t>>(2);
  std::optional<RankLocation> standing_ = RankLocation{"futex", "  main\n", {}, {}, true};
  Duration still_{0};
  TimePoint now_ = from_unix_nanos(0) + seconds(1000);
};

RankSeen stopped_rank(TimePoint since) {
  return {"rank 1", RankFinding{RankFinding::Kind::stopped, since}, {}, {}, {}, RankLocation{"read", "  main\n"}};
}

TEST_F(GangWatchdog, AStoppedRankIsToldAtOnceWithItsPlace) {
  hear_all(Duration(0), Duration(0));
  hear(state_, 1, stopped_rank(now_));
  const Verdicts verdicts = judge(state_, now_);
  EXPECT_EQ(verdicts.standing, (std::vector<job::Judged>{{1, 1, HangKind::stopped, now_, "read", "rank 1\n  main\n"}}));
  EXPECT_FALSE(verdicts.examine);
}

TEST_F(GangWatchdog, ADumpAsksWhereTheOthersStand) {
  begin_with({HangAction::dump, minutes(10), false});
  hear(state_, 1, stopped_rank(now_));
  EXPECT_TRUE(judge(state_, now_).examine);
}

TEST_F(GangWatchdog, AGangThatToldStepsAndStandsStillHangs) {
  steps(5, seconds(2));
  stand_still(minutes(9));
  EXPECT_EQ(gang(), HangKind::none);
  stand_still(minutes(2));
  EXPECT_EQ(gang(), HangKind::hung);
  steps(1, seconds(1));
  EXPECT_EQ(gang(), HangKind::none);
}

// Ranks that wait in a collective use CPU time.
TEST_F(GangWatchdog, CpuTimeAloneDoesNotSaveAGangThatToldSteps) {
  steps(5, seconds(2));
  stand_still(minutes(11), true);
  EXPECT_EQ(gang(), HangKind::hung);
}

TEST_F(GangWatchdog, PatienceIsTenTimesTheLongestStep) {
  steps(5, minutes(3));
  stand_still(minutes(29));
  EXPECT_EQ(gang() == HangKind::hung, false);
  stand_still(minutes(2));
  EXPECT_EQ(gang(), HangKind::hung);
}

TEST_F(GangWatchdog, OneRankThatActsSpeaksForAll) {
  steps(5, seconds(2));
  stand_still(minutes(11));
  hear(state_, 1, RankSeen{"rank 1", {}, {}, {}, steps_[1], standing_});
  EXPECT_EQ(gang(), HangKind::none);
}

TEST_F(GangWatchdog, WithoutStepsSilenceIsOnlyQuiet) {
  stand_still(minutes(11));
  EXPECT_EQ(gang(), HangKind::quiet);
  begin_with({HangAction::restart, minutes(10), true});
  stand_still(minutes(11));
  EXPECT_EQ(gang(), HangKind::hung);
}

// Import, compilation, the first step.
TEST_F(GangWatchdog, WithoutStepsComputingIsNothing) {
  stand_still(minutes(60), true);
  EXPECT_EQ(gang(), HangKind::none);
}

TEST_F(GangWatchdog, ZeroIsNever) {
  begin_with({HangAction::restart, Duration(0), true});
  stand_still(minutes(60));
  EXPECT_EQ(gang(), HangKind::none);
}

TEST_F(GangWatchdog, WhoDoesNotComeToABarrierIsNamed) {
  steps(1, seconds(1));
  hear_all(Duration(0), Duration(0));
  state_.waits = "barrier `end` waits for rank 1 (1 of 2)";
  state_.waited = minutes(11);
  beat(state_, seconds(1));
  const Verdicts verdicts = judge(state_, now_);
  ASSERT_EQ(verdicts.standing.size(), 1u);
  EXPECT_EQ(verdicts.standing[0].kind, HangKind::waiting);
  EXPECT_EQ(verdicts.standing[0].where, state_.waits);
}

TEST_F(GangWatchdog, AVerdictWaitsForWhereTheRanksStandButNotForLong) {
  standing_.reset();
  steps(5, seconds(2));
  stand_still(minutes(10));
  EXPECT_EQ(gang(), HangKind::none);
  EXPECT_TRUE(judge(state_, now_).examine);
  stand_still(seconds(10));
  EXPECT_EQ(gang(), HangKind::hung);
}

TEST_F(GangWatchdog, WhatIsNotCompleteIsWaitedFor) {
  standing_->complete = false;
  steps(5, seconds(2));
  stand_still(minutes(10));
  EXPECT_EQ(gang(), HangKind::none);
  standing_->complete = true;
  stand_still(seconds(1));
  EXPECT_EQ(gang(), HangKind::hung);
}

TEST_F(GangWatchdog, WhatRecordersAndTheNetworkTellComesFirst) {
  standing_->collectives = {{"default_pg", "all_reduce", "Float [4]", 17, true}};
  standing_->network = {"NCCL does not reach rank 1"};
  steps(5, seconds(2));
  stand_still(minutes(11));
  EXPECT_EQ(judge(state_, now_).standing.back().where,
            "rank 0, rank 1 are all in all_reduce #17 of default_pg; NCCL does not reach rank 1; rank 0 in futex, rank "
            "1 in futex");
}

// What muster reads of a plain PyTorch script with Gloo.
RankLocation torch_location(const std::string& frames) {
  return {"futex", "  Python thread 7\n" + frames + "  thread 7 python3: futex\n    poll\n", {}, {}, true};
}

constexpr const char* kInCollective =
    "    wait (distributed_c10d.py:300)\n    all_reduce (distributed_c10d.py:4181)\n    <module> (train.py:9)\n";

TEST_F(GangWatchdog, ASilentRankThatDoesNotEnterACollective_Hangs) {
  begin_with({HangAction::restart, minutes(10), false});
  standing_ = torch_location(kInCollective);
  stand_still(minutes(11));
  hear(state_, 1, RankSeen{"rank 1", {}, still_, still_, {}, torch_location("    <module> (train.py:8)\n")});
  EXPECT_EQ(gang(), HangKind::hung);
  EXPECT_EQ(judge(state_, now_).standing.back().where,
            "rank 1 is in no collective; rank 0 waits in all_reduce; rank 0 in futex, rank 1 in futex");
  state_.rules.action = HangAction::dump;
  EXPECT_EQ(gang(), HangKind::quiet) << "only a restart needs a decision";
}

TEST_F(GangWatchdog, SilentRanksThatAllWaitInCollectives_Hang) {
  begin_with({HangAction::restart, minutes(10), false});
  standing_ = torch_location(kInCollective);
  stand_still(minutes(11));
  EXPECT_EQ(gang(), HangKind::hung);
}

TEST_F(GangWatchdog, SilentRanksOutsideOfCollectives_AreQuiet) {
  begin_with({HangAction::restart, minutes(10), false});
  standing_ = torch_location("    get (queue.py:171)\n    serve (server.py:8)\n");
  stand_still(minutes(11));
  EXPECT_EQ(gang(), HangKind::quiet);
  standing_ = RankLocation{"futex", "  thread 7 train: futex\n    poll\n", {}, {}, true};
  hear_all(still_, still_);
  EXPECT_EQ(gang(), HangKind::quiet) << "no Python functions are known";
}

TEST_F(GangWatchdog, PlacesAndStacks) {
  begin_with({HangAction::dump, minutes(10), false});
  steps(5, seconds(2));
  stand_still(minutes(11));
  const Verdicts verdicts = judge(state_, now_);
  EXPECT_EQ(verdicts.standing.back().where, "rank 0 in futex, rank 1 in futex");
  EXPECT_EQ(verdicts.standing.back().stack, "rank 0\n  main\nrank 1\n  main\n");
}

}  // namespace
}  // namespace muster::watchdog
