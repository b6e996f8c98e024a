// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/session.h"

#include <gmock/gmock.h>
#include <csignal>

#include "core/client/follow/follow_fakes.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class SessionTest : public testing::Test {
 protected:
  void start(SessionRules rules) {
    session.emplace(loop, client, Follower::Connect(), nullptr, client->view, rules, presenter,
                    Session::Hooks{.ask = [this](bool on) { asking = on; },
                                   .done = [this](int code) { exit_code = code; },
                                   .question_is_seen = [this] { return seen; }});
    session->start({.job = "j", .events = true, .output = true});
  }
  void end_as(const std::string& state, int code) {
    JobView last = view_of(2, state);
    last.exit_code = code;
    last.propagated_code = 17;
    client->send_on(0, {last});
    FakeClient::Stream(client->streams.front()).on_end(Status());
  }

  sim::SimLoop loop;
  std::shared_ptr<FakeClient> client = [] {
    auto made = std::make_shared<FakeClient>();
    made->view = view_of(2);
    return made;
  }();
  RecordingPresenter presenter;
  bool asking = false;
  bool seen = true;  // the question is on the screen
  std::optional<int> exit_code;
  std::optional<Session> session;
};

TEST_F(SessionTest, ExitsAsTheJob) {
  start({});
  client->send({event_of(1, "placed")});
  client->send({chunk_of(1, 0, "x")});
  EXPECT_EQ(exit_code, std::nullopt);
  end_as("failed", 1);
  EXPECT_EQ(exit_code, 1);
  EXPECT_THAT(presenter.lines, ElementsAre("event placed", "output x", "view failed", "end failed"));
}

TEST_F(SessionTest, Propagate_ExitsAsTheRank) {
  start({.propagate = true});
  end_as("failed", 1);
  EXPECT_EQ(exit_code, 17);
}

TEST_F(SessionTest, CtrlC_NobodyAnswers_Detaches) {
  start({.interactive = true});
  session->signal(SIGINT);
  EXPECT_TRUE(asking);
  loop.run_for(Session::patience);
  EXPECT_FALSE(asking);
  EXPECT_EQ(exit_code, 130);
  EXPECT_TRUE(client->stops.empty());
  EXPECT_THAT(presenter.lines, Contains("remark continues.  muster attach train-7f2 · muster stop train-7f2"));
}

TEST_F(SessionTest, Question_OutputMeanwhile_IsShownAfterTheAnswer) {
  start({.interactive = true});
  session->signal(SIGINT);
  client->send_on(0, {chunk_of(1, 0, "bar 10%\r")});
  EXPECT_THAT(presenter.lines, Not(Contains("output bar 10%\r"))) << "it would overdraw the question";
  session->key('s');
  EXPECT_THAT(presenter.lines, Contains("output bar 10%\r"));
}

TEST_F(SessionTest, Question_NotOnTheScreen_SecondCtrlCStopsNothing) {
  start({.interactive = true});
  session->signal(SIGINT);
  seen = false;
  session->signal(SIGINT);
  EXPECT_TRUE(asking);
  EXPECT_TRUE(client->stops.empty());
  seen = true;
  session->signal(SIGINT);
  EXPECT_EQ(client->stops.size(), 1u);
}

TEST_F(SessionTest, Question_JobEndsMeanwhile_QuestionIsClosed) {
  start({.interactive = true});
  session->signal(SIGINT);
  client->send_on(1, {view_of(2, "succeeded")});
  loop.run_for(Duration(0));
  EXPECT_FALSE(asking);
  EXPECT_EQ(exit_code, std::nullopt);
  end_as("succeeded", 0);
  EXPECT_EQ(exit_code, 0);
}

TEST_F(SessionTest, Question_NobodyAnswersYet_MakesNoCallThatBlocks) {
  start({.interactive = true});
  session->signal(SIGINT);
  loop.run_for(Session::patience - std::chrono::milliseconds(1));
  EXPECT_TRUE(asking);
  EXPECT_EQ(client->describes, 0) << "the countdown would stand still";
}

TEST_F(SessionTest, Question_JobEndsInItsLastSecond_RestOfTheOutputIsShown) {
  for (const char key : {'\0', 'd', 's', 'k'}) {
    presenter.lines.clear();
    exit_code.reset();
    client->streams.clear();
    client->view = view_of(2);
    start({.interactive = true});
    session->signal(SIGINT);
    client->view = view_of(2, "succeeded");
    key == '\0' ? loop.run_for(Session::patience) : session->key(key);
    EXPECT_FALSE(asking);
    EXPECT_FALSE(*client->streams.front().held) << "the rest of the output is still to come";
    client->send_on(0, {chunk_of(1, 0, "the rest")});
    end_as("succeeded", 0);
    EXPECT_EQ(exit_code, 0);
    EXPECT_THAT(presenter.lines, ElementsAre("output the rest", "view succeeded", "end succeeded"));
  }
  EXPECT_TRUE(client->stops.empty());
}

TEST_F(SessionTest, CtrlC_S_StopsAndFollowsToTheEnd) {
  start({.interactive = true});
  session->signal(SIGINT);
  session->key('x');
  session->key('s');
  EXPECT_FALSE(asking);
  EXPECT_EQ(exit_code, std::nullopt);
  ASSERT_EQ(client->stops.size(), 1u);
  EXPECT_FALSE(client->stops[0].kill);
  end_as("cancelled", 1);
  EXPECT_EQ(exit_code, 130);
}

TEST_F(SessionTest, JobEndsWhileTheQuestionStands_ExitsAsTheJob) {
  start({.interactive = true});
  session->signal(SIGINT);
  end_as("succeeded", 0);
  EXPECT_EQ(exit_code, 0);
  EXPECT_FALSE(asking);
  loop.run_for(Session::patience);
  EXPECT_THAT(presenter.lines.back(), "end succeeded");
}

TEST_F(SessionTest, TerminateWithoutATerminal_StopsAndExits143) {
  start({});
  session->signal(SIGTERM);
  ASSERT_EQ(client->stops.size(), 1u);
  end_as("cancelled", 1);
  EXPECT_EQ(exit_code, 143);
}

TEST_F(SessionTest, StopWhileTheControllerIsAway_IsSaidAgainWhenItIsBack) {
  start({});
  client->stop_answer = {Code::unavailable, "no controller"};
  session->signal(SIGINT);
  EXPECT_TRUE(client->stops.empty());
  client->stop_answer = Status();
  client->send({view_of(2)});
  EXPECT_EQ(client->stops.size(), 1u);
  client->send({view_of(2)});
  EXPECT_EQ(client->stops.size(), 1u);
}

TEST_F(SessionTest, Hangup_Detaches) {
  start({.interactive = true});
  session->signal(SIGHUP);
  EXPECT_TRUE(exit_code.has_value());
  EXPECT_TRUE(client->stops.empty());
}

TEST_F(SessionTest, ItsReaderLeaves_SaysThatTheJobGoesOnAndDoesNotSucceed) {
  start({});
  session->reader_left();
  EXPECT_EQ(exit_code, 141);
  EXPECT_TRUE(client->stops.empty());
  EXPECT_THAT(presenter.lines, Contains("remark continues.  muster attach train-7f2 · muster stop train-7f2"));
}

TEST_F(SessionTest, AFullStdout_EndsWhoOnlyLooks) {
  for (const InterruptMode mode : {InterruptMode::look, InterruptMode::attach}) {
    start({.mode = mode});
    session->output_lost();
    EXPECT_EQ(exit_code, 9);
    EXPECT_THAT(presenter.lines, Not(Contains(testing::HasSubstr("continues")))) << "an error was already printed";
  }
}

TEST_F(SessionTest, AFullStdout_DoesNotEndWhoStartedTheJob) {
  start({});
  session->output_lost();
  EXPECT_EQ(exit_code, std::nullopt);
  end_as("failed", 1);
  EXPECT_EQ(exit_code, 1);
}

TEST_F(SessionTest, StandaloneAndItsReaderLeft_Stops) {
  start({.mode = InterruptMode::standalone});
  session->reader_left();
  EXPECT_EQ(client->stops.size(), 1u);
  EXPECT_EQ(exit_code, std::nullopt);
}

TEST_F(SessionTest, Forwarding_RanksGetTheSignalThatCame) {
  start({.mode = InterruptMode::standalone, .forward = true});
  session->signal(SIGUSR1);
  ASSERT_EQ(client->stops.size(), 1u);
  EXPECT_EQ(client->stops[0].signal, SIGUSR1);
  session->signal(SIGINT);
  EXPECT_TRUE(client->stops.at(1).kill);
}

TEST_F(SessionTest, NotForwarding_TheyGetSigterm) {
  start({.mode = InterruptMode::standalone});
  session->signal(SIGINT);
  EXPECT_EQ(client->stops.at(0).signal, SIGTERM);
}

TEST_F(SessionTest, ControllerLost_Exits3) {
  start({});
  client->end({Code::unavailable, "the controller does not answer"});
  EXPECT_EQ(exit_code, 3);
  EXPECT_THAT(presenter.lines.back(), "remark the controller does not answer");
}

TEST_F(SessionTest, Looking_CtrlCLeavesAndSaysThatTheJobGoesOn) {
  start({.mode = InterruptMode::look, .exit_as_job = false});
  session->signal(SIGINT);
  session->signal(SIGINT);
  EXPECT_EQ(exit_code, 130);
  EXPECT_TRUE(client->stops.empty());
  EXPECT_THAT(presenter.lines, Contains("remark continues.  muster attach train-7f2 · muster stop train-7f2"));
}

TEST_F(SessionTest, Looking_ItsReaderLeaves_SaysNothing) {
  start({.mode = InterruptMode::look, .exit_as_job = false});
  session->reader_left();
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(presenter.lines, Not(Contains(testing::HasSubstr("continues"))));
}

TEST_F(SessionTest, Looking_ItsExitCodeIsNotTheJobs) {
  start({.mode = InterruptMode::look, .exit_as_job = false});
  end_as("failed", 1);
  EXPECT_EQ(exit_code, 0);
}

}  // namespace
}  // namespace muster
