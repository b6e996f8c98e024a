// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/rank_console.h"

#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"

namespace muster {
namespace {

// Keeps its newest timer; the test lets it fire.
class OneTimerLoop final : public Loop {
 public:
  TimePoint now() const override { return {}; }
  void post(std::function<void()> work) override { work(); }
  TimerId at(TimePoint, std::function<void()> work) override {
    timer = std::move(work);
    return 1;
  }
  void cancel(TimerId id) override {
    if (id != 0) timer = nullptr;
  }
  std::function<void()> timer;
};

struct RankConsoleTest : testing::Test {
  OneTimerLoop loop;
  RecordingScreen screen;
  RankConsole console{screen, loop, false, false};
};

TEST_F(RankConsoleTest, Print_UnfinishedLine_IsWrittenWhenItsRankIsSilent) {
  console.print(0, OutputStream::out, "loss 1\nask");
  EXPECT_EQ(screen.out_text, "loss 1\n");
  ASSERT_TRUE(loop.timer);
  loop.timer();
  EXPECT_EQ(screen.out_text, "loss 1\nask");
}

TEST_F(RankConsoleTest, Print_RestOfTheLine_CancelsTheTimer) {
  console.print(0, OutputStream::out, "loss");
  console.print(0, OutputStream::out, " 1\n");
  EXPECT_EQ(screen.out_text, "loss 1\n");
  EXPECT_FALSE(loop.timer);
}

TEST_F(RankConsoleTest, MakeRoom_AfterAnUnfinishedLineOnStderr_BeginsANewLine) {
  console.print(0, OutputStream::err, "ask");
  console.release();
  console.make_room();
  EXPECT_EQ(screen.err_text, "ask\n");
}

TEST_F(RankConsoleTest, AddEvidence_OfTheRankAtFault_IsTheEndOfItsStderr) {
  console.keep_tail(chunk_of(0, 0, "of rank 0\n", 1, OutputStream::err));
  console.keep_tail(chunk_of(1, 0, std::string(20'000, 'x') + "Traceback\n", 1, OutputStream::err));
  console.keep_tail(chunk_of(1, 0, "on stdout\n"));
  FailureFacts facts;
  console.add_evidence(1, true, facts);
  EXPECT_TRUE(facts.stderr_tail.ends_with("xTraceback\n"));
  EXPECT_LT(facts.stderr_tail.size(), 20'000);
  EXPECT_TRUE(facts.was_shown);
  console.add_evidence(0, true, facts);
  EXPECT_EQ(facts.stderr_tail, "of rank 0\n");
  EXPECT_FALSE(facts.was_shown);
}

TEST_F(RankConsoleTest, See_TheNextAttempt_ForgetsTheEvidenceOfTheLast) {
  console.see(1);
  console.keep_tail(chunk_of(0, 0, "old\n", 1, OutputStream::err));
  console.see(1);
  console.see(2);
  FailureFacts facts;
  console.add_evidence(0, true, facts);
  EXPECT_EQ(facts.stderr_tail, "");
}

TEST(ReportsDelay, OfEvents_IsTrueForRestartsAndWaitsOnly) {
  EXPECT_TRUE(reports_delay(event_of(1, "rank 1 failed · restarting, attempt 2 of 4")));
  EXPECT_TRUE(reports_delay(event_of(1, "waiting for a2")));
  EXPECT_FALSE(reports_delay(event_of(1, "stopping: a2 was lost")));
  EXPECT_FALSE(reports_delay(event_of(1, "a2 was lost", "failed")));
  EXPECT_FALSE(reports_delay(event_of(1, "all ranks run")));
}

}  // namespace
}  // namespace muster
