// SPDX-License-Identifier: Apache-2.0
#include "core/agent/worker_server.h"

#include <gtest/gtest.h>

#include "core/job/plan/job_node.h"
#include "core/output/fake_output_test.h"

namespace muster {
namespace {

using Kind = RendezvousCall::Kind;

// One node with ranks 0 and 1. Their rendezvous is on the node unless `here` is false.
class WorkerServerTest : public testing::Test {
 protected:
  void begin(Attempt attempt, bool here = true) {
    server.begin(attempt, {0, 1},
                 here ? std::vector<RendezvousMember>{{0, 0, "rank 0 on h"}, {0, 1, "rank 1 on h"}}
                      : std::vector<RendezvousMember>());
  }
  void ask(uint32_t index, std::variant<RendezvousCall, Progress, EndQuestion, RejoinRequest> call,
           Attempt attempt = 1) {
    server.ask({attempt, index, std::move(call)}, [this](const WorkerAnswer& answer) { answers.push_back(answer); });
  }
  Status status_of(size_t i) { return std::get<RendezvousAnswer>(answers.at(i)).status; }

  FakeLoop loop;
  std::vector<WorkerAnswer> answers;
  std::vector<uint32_t> kept;
  WorkerServer server{loop, [this](uint32_t index, const WorkerListener::Answer&) { kept.push_back(index); }};
};

struct SentRequests final : ChannelToCoordinator {
  void send(const AgentMessage& message) override { sent.push_back(std::get<RendezvousRequest>(message)); }
  void listen(std::function<void(const CoordinatorMessage&)>, std::function<void(const Status&)>) override {}
  std::vector<RendezvousRequest> sent;
};

RendezvousCall call(Kind kind, const std::string& key) { return {kind, key, "v", "", 0, {}, Duration(0)}; }

TEST_F(WorkerServerTest, RanksOfOneNodeMeetWithoutACoordinator) {
  begin(1);
  ask(0, call(Kind::barrier, "b"));
  EXPECT_TRUE(answers.empty());
  ask(1, call(Kind::barrier, "b"));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(status_of(0).ok() && status_of(1).ok());
}

TEST_F(WorkerServerTest, WithoutACoordinatorOthersAreToldToAskAgain) {
  begin(1, false);
  ask(0, call(Kind::get, "k"));
  EXPECT_EQ(status_of(0).code(), Code::unavailable);
}

TEST_F(WorkerServerTest, NodesOfTheJob_AreAskedOfTheCoordinator_AlsoIfRanksMeetHere) {
  begin(1);
  const RendezvousCall nodes = call(Kind::get, std::string(kJobNodesKey));
  ask(0, nodes);
  EXPECT_EQ(status_of(0).code(), Code::unavailable) << "it is not connected";
  SentRequests channel;
  server.connect(&channel);
  ask(1, nodes);
  ASSERT_EQ(channel.sent.size(), 1U);
  server.answered({channel.sent[0].id, {Status(), "[]", {}}});
  EXPECT_EQ(std::get<RendezvousAnswer>(answers.at(1)).value, "[]");
  ask(1, nodes);
  server.connect(nullptr);
  EXPECT_EQ(status_of(2).code(), Code::unavailable) << "the link was lost";
}

TEST_F(WorkerServerTest, CallOfAService_IsThatOfTheFirstRank_AndCountsAsNone) {
  begin(1);
  ask(1, call(Kind::fence, "f"));
  std::vector<std::string> values;
  server.ask_for_service(call(Kind::fence, "f"), [&](const RendezvousAnswer& answer) { values = answer.values; });
  EXPECT_EQ(values, (std::vector<std::string>{"v", "v"}));
  EXPECT_EQ(server.calls(0), 0U);
  EXPECT_EQ(server.met(), TimePoint()) << "rank 0 has not called";
}

TEST_F(WorkerServerTest, End_OfAnAttempt_AnswersWaitersAndEndQuestions) {
  begin(1);
  ask(0, call(Kind::wait, "k"));
  ask(1, EndQuestion());
  server.end({"rank 1 exited with code 3", true, Duration(0)}, false);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(status_of(0).message(), "attempt 1 has ended: rank 1 exited with code 3");
  EXPECT_EQ(std::get<EndNotice>(answers[1]).why, "rank 1 exited with code 3");
  ask(0, EndQuestion());
  EXPECT_TRUE(std::get<EndNotice>(answers[2]).broken) << "also after the end";
}

TEST_F(WorkerServerTest, EndQuestion_AfterTheEnd_ReturnsTheRestOfTheGrace) {
  begin(1);
  server.end({"stopped by the user", false, std::chrono::seconds(30)}, false);
  for (const int passed : {0, 10, 40}) {
    loop.time = TimePoint(std::chrono::seconds(passed));
    ask(0, EndQuestion());
  }
  EXPECT_EQ(std::get<EndNotice>(answers[0]).grace, std::chrono::seconds(30));
  EXPECT_EQ(std::get<EndNotice>(answers[1]).grace, std::chrono::seconds(20));
  EXPECT_EQ(std::get<EndNotice>(answers[2]).grace, Duration(0));
}

TEST_F(WorkerServerTest, KeysBelongToTheirAttempt) {
  begin(1);
  ask(0, call(Kind::set, "k"));
  begin(2);
  ask(0, call(Kind::get, "k"), 2);
  ask(0, call(Kind::get, "k"), 1);
  EXPECT_EQ(status_of(1).code(), Code::not_found);
  EXPECT_EQ(status_of(2).code(), Code::failed_precondition);
}

TEST_F(WorkerServerTest, ProgressIsKeptByRankAndGoesWithTheAttempt) {
  begin(1);
  ask(1, Progress{3, 10, {{"loss", 0.5}}});
  ASSERT_NE(server.progress(1), nullptr);
  EXPECT_EQ(server.progress(1)->step, 3U);
  EXPECT_EQ(server.progress(0), nullptr);
  begin(2);
  EXPECT_EQ(server.progress(1), nullptr);
}

TEST_F(WorkerServerTest, StrangeProgressIsRefused) {
  begin(1);
  std::map<std::string, double> many;
  for (int i = 0; i < 17; ++i) many["m" + std::to_string(i)] = i;
  for (const Progress& strange : {Progress{1, 2, many}, Progress{1, 2, {{"a b", 1}}}, Progress{1, 2, {{"", 1}}},
                                  Progress{1, 2, {{std::string(65, 'x'), 1}}}}) {
    answers.clear();
    ask(0, strange);
    EXPECT_EQ(status_of(0).code(), Code::invalid_argument);
  }
  ask(7, Progress{1, 2, {}});
  EXPECT_EQ(status_of(1).code(), Code::invalid_argument) << "no such rank";
  EXPECT_EQ(server.progress(0), nullptr);
}

TEST_F(WorkerServerTest, Rejoin_AnotherAttemptFollows_TheRankIsKept) {
  begin(1);
  ask(0, RejoinRequest());
  EXPECT_TRUE(kept.empty()) << "the attempt has not ended";
  server.end({"rank 1 was killed", true, Duration(0)}, true);
  ask(1, RejoinRequest());
  EXPECT_EQ(kept, (std::vector<uint32_t>{0, 1}));
}

TEST_F(WorkerServerTest, Rejoin_NoAttemptFollows_IsRefusedWithTheReason) {
  begin(1);
  ask(0, RejoinRequest());
  server.end({"stopped by the user", false, Duration(0)}, false);
  EXPECT_EQ(std::get<NewPlace>(answers.at(0)).status.message(), "no attempt follows: stopped by the user");
  EXPECT_TRUE(kept.empty());
}

TEST_F(WorkerServerTest, Rejoin_Withdrawn_TheRankIsNotKept) {
  begin(1);
  ask(0, RejoinRequest());
  ask(0, RejoinRequest{true});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(std::get<NewPlace>(answers.at(0)).status.message(), "the rank has withdrawn its request");
  EXPECT_TRUE(std::get<NewPlace>(answers.at(1)).status.ok());
  server.end({"rank 1 was killed", true, Duration(0)}, true);
  EXPECT_TRUE(kept.empty());
}

TEST_F(WorkerServerTest, Rejoin_WithdrawnAfterTheProcessWasKept_IsRefused) {
  begin(1);
  ask(0, RejoinRequest());
  server.end({"rank 1 was killed", true, Duration(0)}, true);
  ask(0, RejoinRequest{true});
  EXPECT_EQ(std::get<NewPlace>(answers.at(0)).status.code(), Code::failed_precondition);
  EXPECT_EQ(kept, std::vector<uint32_t>{0});
}

TEST_F(WorkerServerTest, ForgottenQuestionsDoNotPileUp) {
  begin(1);
  for (int i = 0; i < 1000; ++i) ask(0, EndQuestion());
  server.end({"over", false, Duration(0)}, false);
  EXPECT_EQ(answers.size(), 64U);
}

}  // namespace
}  // namespace muster
