// SPDX-License-Identifier: Apache-2.0
#include "core/agent/exec_server.h"

#include <gtest/gtest.h>

#include <csignal>
#include <deque>

namespace muster {
namespace {

using Part = decltype(ExecFrame::part);

struct Started {
  ExecRequest request;
  ExecHandlers handlers;
  std::string written;
  std::map<ExecStream, size_t> allowed;
  bool input_ended = false;
  bool gone = false;
  std::vector<int> signals = {};
};

class FakeExec final : public Exec {
 public:
  explicit FakeExec(Started& started) : started_(started) {}
  ~FakeExec() override { started_.gone = true; }
  void write(std::string_view bytes) override { started_.written += bytes; }
  void end_input() override { started_.input_ended = true; }
  void allow(ExecStream stream, size_t bytes) override { started_.allowed[stream] += bytes; }
  void resize(uint16_t, uint16_t) override {}
  void signal(int number) override { started_.signals.push_back(number); }
  void hang_up() override {}

 private:
  Started& started_;
};

struct FakeExecs final : ExecHost {
  Result<std::unique_ptr<Exec>> start(const ExecRequest& request, ExecHandlers handlers) override {
    if (!failure.ok()) return failure;
    started.push_back({request, std::move(handlers), "", {}, false, false});
    return std::unique_ptr<Exec>(std::make_unique<FakeExec>(started.back()));
  }
  Status failure;
  std::deque<Started> started;
};

struct SentFrames final : ChannelToCoordinator {
  void send(const AgentMessage& message) override { frames.push_back(std::get<ExecFrame>(message)); }
  void listen(std::function<void(const CoordinatorMessage&)>, std::function<void(const Status&)>) override {}
  std::vector<ExecFrame> frames;
};

class ExecServerTest : public testing::Test {
 protected:
  ExecServerTest() {
    place.spawn.environment = {"A=1", "B=2"};
    place.spawn.workdir = "/home/ann";
    server.connect(&channel);
  }
  void hear(uint64_t id, Part part) { server.heard({id, std::move(part)}); }
  // A program of the whole node.
  void begin_relay(uint64_t id) {
    ExecStart start;
    start.argv = {"relay"};
    start.whole_node = true;
    hear(id, start);
  }
  void begin(uint64_t id) {
    ExecStart start;
    start.argv = {"cat"};
    start.environment = {{"B", "3"}};
    start.workdir = "sub";
    hear(id, start);
  }
  template <typename Kind>
  const Kind& last() const {
    return std::get<Kind>(channel.frames.back().part);
  }

  FakeExecs host;
  SentFrames channel;
  ExecRequest place;
  Status refusal;
  ExecServer::Where asked;
  ExecServer server{host, {"muster"}, [this](const ExecServer::Where& where) {
                      asked = where;
                      return refusal.ok() ? Result<ExecRequest>(place) : Result<ExecRequest>(refusal);
                    }};
};

TEST_F(ExecServerTest, AnExecStartsAsItsRankDidAndAsItsViewerAsks) {
  begin(5);
  ASSERT_EQ(host.started.size(), 1u);
  const SpawnRequest& spawn = host.started[0].request.spawn;
  EXPECT_EQ(spawn.argv, (std::vector<std::string>{"cat"}));
  EXPECT_EQ(spawn.environment, (std::vector<std::string>{"A=1", "B=3"}));
  EXPECT_EQ(spawn.workdir, "/home/ann/sub");
  EXPECT_EQ(host.started[0].allowed[ExecStream::out], kExecWindow);
}

TEST_F(ExecServerTest, Begin_InAnAttempt_AsksForItsRank) {
  ExecStart start;
  start.argv = {"relay"};
  start.attempt = 3;
  start.whole_node = true;
  hear(5, start);
  EXPECT_EQ(asked.attempt, 3u);
  EXPECT_TRUE(asked.whole_node);
}

TEST_F(ExecServerTest, Begin_OfMustersOwnProgram_PutsItsWordsInFront) {
  ExecStart start;
  start.argv = {"relay", "--listen"};
  start.own_program = true;
  hear(5, start);
  EXPECT_EQ(host.started.at(0).request.spawn.argv, (std::vector<std::string>{"muster", "relay", "--listen"}));
}

TEST_F(ExecServerTest, Begin_BesideARankInAnImage_OnlyOtherProgramsAreInTheImage) {
  place.spawn.container = std::make_shared<ContainerEntry>();
  begin(5);
  ExecStart own;
  own.argv = {"mpirun"};
  own.own_program = true;
  hear(6, own);
  EXPECT_EQ(host.started.at(0).request.spawn.container, place.spawn.container);
  EXPECT_EQ(host.started.at(1).request.spawn.container, nullptr);
}

TEST_F(ExecServerTest, BytesGoBothWaysAndTheLastFrameIsTheEnd) {
  begin(5);
  Started& exec = host.started[0];
  hear(5, ExecBytes{ExecStream::in, "hello", true});
  EXPECT_EQ(exec.written, "hello");
  EXPECT_TRUE(exec.input_ended);
  exec.handlers.taken(5);
  EXPECT_EQ(last<ExecTaken>(), (ExecTaken{ExecStream::in, 5}));
  exec.handlers.printed(ExecStream::err, "oh");
  EXPECT_EQ(last<ExecBytes>(), (ExecBytes{ExecStream::err, "oh", false}));
  ExitStatus exit;
  exit.code = 4;
  exec.handlers.ended(exit);
  EXPECT_EQ(last<ExecEnd>(), (ExecEnd{exit, 0, ""}));
  EXPECT_TRUE(exec.gone);
}

TEST_F(ExecServerTest, ItAllowsNoMoreThanWasTaken) {
  begin(5);
  Started& exec = host.started[0];
  exec.handlers.printed(ExecStream::out, std::string(100, 'x'));
  hear(5, ExecTaken{ExecStream::out, 1 << 30});
  EXPECT_EQ(exec.allowed[ExecStream::out], kExecWindow + 100);
}

TEST_F(ExecServerTest, AViewerThatSendsPastTheWindowLosesItsExec) {
  begin(5);
  hear(5, ExecBytes{ExecStream::in, std::string(kExecWindow, 'x'), false});
  EXPECT_FALSE(host.started[0].gone);
  hear(5, ExecBytes{ExecStream::in, "y", false});
  EXPECT_TRUE(host.started[0].gone);
  EXPECT_EQ(last<ExecEnd>().code, static_cast<int>(Code::out_of_range));
}

TEST_F(ExecServerTest, WhyThereIsNoneIsTold) {
  host.failure = Status(Code::not_found, "no such program");
  begin(5);
  EXPECT_EQ(last<ExecEnd>(), (ExecEnd{std::nullopt, static_cast<int>(Code::not_found), "no such program"}));
  refusal = Status(Code::not_found, "no such rank");
  begin(6);
  EXPECT_EQ(last<ExecEnd>().code, static_cast<int>(Code::failed_precondition))
      << "it is not the program that is missing";
}

TEST_F(ExecServerTest, ARankThatHasNotStartedYet_MayStartLater) {
  refusal = Status(Code::unavailable, "the rank has not started yet");
  begin(5);
  EXPECT_EQ(last<ExecEnd>().code, static_cast<int>(Code::unavailable));
}

TEST_F(ExecServerTest, OneThatEndedWithItsRanksSaysSo) {
  begin(5);
  refusal = Status(Code::failed_precondition, "over");
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGKILL;
  host.started[0].handlers.ended(exit);
  EXPECT_FALSE(last<ExecEnd>().why.empty());
}

TEST_F(ExecServerTest, ExecsGoWithTheirViewerTheLinkAndTheCoordinatorsWord) {
  for (const uint64_t id : {1, 2, 3}) begin(id);
  hear(2, ExecLeave{});
  EXPECT_TRUE(host.started[1].gone && !host.started[0].gone);
  hear(0, ExecLeave{});
  EXPECT_TRUE(host.started[0].gone && host.started[2].gone);
  begin(4);
  server.connect(nullptr);
  EXPECT_TRUE(host.started[3].gone);
}

TEST_F(ExecServerTest, Leave_OfAProgramOfTheWholeNode_EndsItsAgentUnlessTheViewerIsOnlyLost) {
  ExecStart start;
  start.argv = {"relay"};
  start.whole_node = true;
  for (const uint64_t id : {1, 2}) hear(id, start);
  hear(1, ExecLeave{false});
  EXPECT_EQ(host.started[0].signals, (std::vector<int>{SIGTERM, SIGCONT}));
  EXPECT_FALSE(host.started[0].gone);
  hear(2, ExecLeave{true});
  EXPECT_TRUE(host.started[1].gone && host.started[1].signals.empty());
}

TEST_F(ExecServerTest, Kill_OfAProgramOfTheWholeNode_EndsItsAgent) {
  begin_relay(1);
  begin(2);
  server.kill();
  EXPECT_EQ(host.started[0].signals, (std::vector<int>{SIGTERM, SIGCONT}));
  EXPECT_EQ(host.started[1].signals, (std::vector<int>{SIGKILL}));
  refusal = Status(Code::failed_precondition, "over");
  host.started[0].handlers.ended({ExitStatus::Kind::exited, 20});
  EXPECT_EQ(last<ExecEnd>().why, "the rank's attempt has ended");
}

TEST_F(ExecServerTest, ContinueStopped_IsForProgramsOfTheWholeNode) {
  begin_relay(1);
  begin(2);
  server.continue_stopped();
  EXPECT_EQ(host.started[0].signals, (std::vector<int>{SIGCONT}));
  EXPECT_TRUE(host.started[1].signals.empty()) << "the user may have stopped it";
}

TEST_F(ExecServerTest, AStrangersFrameIsDropped) {
  hear(9, ExecBytes{ExecStream::in, "x", false});
  hear(9, ExecTaken{ExecStream::out, 1});
  hear(9, ExecLeave{});
  EXPECT_TRUE(channel.frames.empty());
}

}  // namespace
}  // namespace muster
