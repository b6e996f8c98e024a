// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_watch.h"

#include <gtest/gtest.h>

#include "core/output/fake_output_test.h"

namespace muster {
namespace {

using std::chrono::seconds;

struct ScriptedProbe final : RankProbe {
  RankSample look(int64_t pid, const std::vector<std::string>&, bool) override { return looks[pid]; }
  void examine(int64_t pid, Tell tell) override { asked.emplace_back(pid, std::move(tell)); }

  std::map<int64_t, RankSample> looks;
  std::vector<std::pair<int64_t, Tell>> asked;
};

class RankWatchTest : public testing::Test {
 protected:
  RankWatchTest() {
    loop.time = from_unix_nanos(0) + seconds(100);
    for (const int64_t pid : {10, 11}) probe.looks[pid] = {'S', 1, {}};
  }
  void beat() {
    loop.time += seconds(1);
    watch.look({{0, 10, {}, 0}, {1, 11, {}, 0}});
  }
  RankReport report(uint32_t index) {
    RankReport report;
    report.index = index;
    watch.tell(report);
    return report;
  }
  void stop_rank_1() {
    beat();
    probe.looks[11].state = 'T';
    beat();
    beat();
  }

  FakeLoop loop;
  ScriptedProbe probe;
  int changes = 0;
  RankWatch watch{{loop, probe}, {[] {}, [this] { ++changes; }}};
};

TEST_F(RankWatchTest, WhatARankUsesIsMeasuredWhileSomebodyLooks) {
  RankActivity life{seconds(5), 1000, 10, 7, 0, 4096};
  const auto works = [&] {
    life.cpu += std::chrono::milliseconds(1500);
    probe.looks[10].life = life;
    beat();
  };
  works();
  EXPECT_FALSE(report(0).use);
  watch.measure(true);
  works();
  EXPECT_FALSE(report(0).use) << "a measurement needs two samples";
  works();
  EXPECT_EQ(report(0).use, (RankUse{1500, 4096}));
  EXPECT_FALSE(report(1).use);
  watch.measure(false);
  works();
  EXPECT_FALSE(report(0).use);
}

TEST_F(RankWatchTest, Finding_IsReportedTogetherWithTheLocation) {
  stop_rank_1();
  ASSERT_EQ(probe.asked.size(), 1u);
  EXPECT_EQ(probe.asked[0].first, 11);
  EXPECT_FALSE(report(1).finding);
  probe.asked[0].second({"read", "  main\n"}, false);
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(report(1).finding->kind, RankFinding::Kind::stopped);
  EXPECT_EQ(report(1).standing->place, "read");
  EXPECT_FALSE(report(0).finding || report(0).standing);
  EXPECT_EQ(watch.stopped(), std::vector<uint32_t>{1});
}

TEST_F(RankWatchTest, AnExamination_TellsTheExceptionThatTheRankHasPrinted) {
  RankWatch telling({loop, probe},
                    {[] {}, [] {}, [](uint32_t index) { return "ValueError of " + std::to_string(index); }});
  telling.examine(true);
  telling.look({{1, 11, {}, 0}});
  probe.asked.at(0).second({"read", ""}, false);
  RankReport report;
  report.index = 1;
  telling.tell(report);
  EXPECT_EQ(report.standing->exception, "ValueError of 1");
}

TEST_F(RankWatchTest, AnExaminationThatDoesNotEndHoldsNothingUp) {
  stop_rank_1();
  beat();
  EXPECT_TRUE(report(1).finding);
  EXPECT_EQ(probe.asked.size(), 1u);
}

TEST_F(RankWatchTest, Examination_TakesTooLong_ReportsTheLocationSoFar) {
  stop_rank_1();
  probe.asked[0].second({"read", ""}, true);
  EXPECT_FALSE(report(1).finding);
  beat();
  EXPECT_TRUE(report(1).finding);
  EXPECT_EQ(report(1).standing->place, "read");
  probe.asked[0].second({"step (train.py:41), in read", ""}, false);
  EXPECT_EQ(report(1).standing->place, "step (train.py:41), in read");
}

TEST_F(RankWatchTest, WhatGoesOnIsForgotten) {
  stop_rank_1();
  probe.asked[0].second({"read", ""}, false);
  probe.looks[11].state = 'R';
  beat();
  EXPECT_FALSE(report(1).finding || report(1).standing);
  EXPECT_TRUE(watch.stopped().empty());
}

TEST_F(RankWatchTest, AnswersOfAnEarlierAttemptAreDropped) {
  stop_rank_1();
  watch.begin();
  beat();
  probe.asked[0].second({"read", ""}, false);
  EXPECT_FALSE(report(1).standing);
}

TEST_F(RankWatchTest, Examine_AllRanks_EachIsExaminedOnce) {
  beat();
  for (int i = 0; i < 3; ++i) {
    watch.examine(true);
    beat();
  }
  ASSERT_EQ(probe.asked.size(), 2u);
  probe.asked[0].second({"recv", ""}, false);
  EXPECT_EQ(report(0).standing->place, "recv");
  watch.examine(false);
  beat();
  EXPECT_FALSE(report(0).standing);
}

TEST_F(RankWatchTest, SilenceIsTold) {
  for (int i = 0; i < 30; ++i) beat();
  EXPECT_EQ(report(0).silent, seconds(29));
}

TEST_F(RankWatchTest, ARankThatEndedIsForgotten) {
  stop_rank_1();
  watch.look({{0, 10, {}, 0}});
  EXPECT_TRUE(watch.stopped().empty());
}

}  // namespace
}  // namespace muster
