// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/proxy/coordinator_proxy.h"

#include <gtest/gtest.h>

#include "backends/testing/fake_backend.h"
#include "core/journal/journal_copy.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_ports.h"
#include "test/sim/sim_store.h"

namespace muster {
namespace {

using std::chrono::seconds;

// One end of a channel: keeps sent messages, and lets the test answer.
template <typename Out, typename In>
struct Line {
  std::vector<Out> sent;
  std::function<void(const In&)> say;
  std::function<void(const Status&)> close;
  bool hung_up = false;
};
template <typename Out, typename In>
class LineChannel final : public Channel<Out, In> {
 public:
  explicit LineChannel(std::shared_ptr<Line<Out, In>> line) : line_(std::move(line)) {}
  ~LineChannel() override { line_->hung_up = true; }
  void send(const Out& message) override { line_->sent.push_back(message); }
  void listen(std::function<void(const In&)> say, std::function<void(const Status&)> close) override {
    line_->say = std::move(say);
    line_->close = std::move(close);
  }

 private:
  std::shared_ptr<Line<Out, In>> line_;
};
using Uplink = Line<AgentMessage, CoordinatorMessage>;
using Downlink = Line<CoordinatorMessage, AgentMessage>;

class ScriptedDialer final : public CoordinatorDialer {
 public:
  void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) override {
    ++dials;
    if (!failure.ok()) return done(failure);
    line = std::make_shared<Uplink>();
    done(std::unique_ptr<ChannelToCoordinator>(std::make_unique<LineChannel<AgentMessage, CoordinatorMessage>>(line)));
  }
  Status failure;
  int dials = 0;
  std::shared_ptr<Uplink> line;
};

template <typename Kind, typename Messages>
std::vector<Kind> of_kind(const Messages& messages) {
  std::vector<Kind> found;
  for (const auto& message : messages) {
    if (const Kind* kind = std::get_if<Kind>(&message)) found.push_back(*kind);
  }
  return found;
}

class CoordinatorProxyTest : public testing::Test {
 protected:
  CoordinatorProxyTest()
      : backend_(loop_, Inventory{},
                 FakeAgents{[](const NodeRef&) { return Result<int64_t>(100); }, [](int64_t) { return true; },
                            [](int64_t) {}}) {
    Random random(5);
    CoordinatorProxySelf self;
    self.offer.run = "mine";
    self.host = "node-b";
    self.incarnation = 9;
    self.job = JobId::make(random);
    self.spec.workdir = "/home/bob";
    self.spec.groups = {GroupSpec{}};
    self.spec.groups[0].command = {"python3", "mine.py"};
    self.secrets.environment = {{"HERE", "node-b"}};
    self.endpoint = "node-a:29400";
    self.patience = seconds(60);
    job_ = self.job;
    theirs_ = JobId::make(random);
    proxy_.emplace(CoordinatorProxyPorts{loop_, backend_, store_, output_, dialer_, log_}, self,
                   CoordinatorProxy::Handlers{.joined = [this](const Status& status) { joined_ = status; },
                                              .lost = [this](const Status& status) { lost_ = status; },
                                              .remark = [this](const std::string& what) { remarks_.push_back(what); }});
  }

  Submission submission() const {
    Submission shared;
    shared.id = theirs_;
    shared.name = "train";
    shared.spec.name = "train";
    shared.spec.framework = Framework::torch;
    shared.spec.groups = {GroupSpec{}};
    PlannedRank first;
    first.world_size = 2;
    first.group_nodes = 2;
    first.local_size = 1;
    PlannedRank ours = first;
    ours.rank = ours.world_rank = 1;
    ours.node = ours.group_node = 1;
    shared.plan.nodes = {{0, 0, "node-a", {0}}, {1, 0, "node-b", {1}}};
    shared.plan.ranks = {first, ours};
    shared.plan.membership = started_with_.membership;
    return shared;
  }

  void coordinator_says(const CoordinatorMessage& message) {
    dialer_.line->say(message);
    loop_.run_for(Duration(0));
  }
  void line(const JournalEntry& entry) {
    coordinator_says(JournalCopy{{shared_line(encode_line({loop_.now(), entry}))}});
  }
  // Joined: bound to this node, with its agent and the begin of the journal.
  void join(NodeIndex node = 1) {
    proxy_->start();
    Bind bind;
    bind.job = theirs_;
    bind.node = node;
    coordinator_says(bind);
    take_agent();
    line(submission());
  }
  void take_agent() {
    agent_ = std::make_shared<Downlink>();
    Hello hello;
    hello.guardian.pid = 100;
    backend_.agent_arrived({std::make_unique<LineChannel<CoordinatorMessage, AgentMessage>>(agent_), hello, ""});
    loop_.run_for(Duration(0));
  }
  // The first attempt begins.
  void begin() {
    line(job::Event(job::Admitted{}));
    line(job::Event(job::NodeUp{0, 8, "a"}));
    line(job::Event(job::NodeUp{1, 9, "b"}));
    line(AttemptEndpoints{1, {{"10.0.0.1", 4000}}, {}});
    DesiredState desired;
    desired.attempt = 1;
    desired.run = true;
    desired.tasks.resize(1);
    desired.tasks[0].index = 1;
    coordinator_says(desired);
  }

  sim::SimLoop loop_;
  FakeBackend backend_;
  sim::SimStore store_;
  sim::SimOutput output_;
  sim::SimLog log_;
  ScriptedDialer dialer_;
  JobId job_;
  JobId theirs_;
  Plan started_with_;
  std::shared_ptr<Downlink> agent_;
  std::optional<Status> joined_;
  std::optional<Status> lost_;
  std::vector<std::string> remarks_;
  std::optional<CoordinatorProxy> proxy_;
};

TEST_F(CoordinatorProxyTest, ItsAgentIsToldWhatWasTypedHere) {
  join();
  ASSERT_TRUE(joined_ && joined_->ok());
  const auto binds = of_kind<Bind>(agent_->sent);
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].job, job_);
  EXPECT_EQ(binds[0].environment.at("HERE"), "node-b");
  EXPECT_EQ(binds[0].workdir, "/home/bob");
  begin();
  const auto desired = of_kind<DesiredState>(agent_->sent);
  ASSERT_EQ(desired.size(), 1u);
  const RankTask& task = desired[0].tasks.at(0);
  EXPECT_EQ(task.argv, (std::vector<std::string>{"python3", "mine.py"}));
  EXPECT_EQ(task.environment.at("RANK"), "1");
  EXPECT_EQ(task.environment.at("MASTER_ADDR"), "10.0.0.1");
  EXPECT_EQ(task.environment.at("MASTER_PORT"), "4000");
  EXPECT_EQ(task.stdout_path, "/" + job_.text() + "/attempt-1/worker-1.out");
}

// The host takes a place that the plan lacked when the job began, and is told its ranks once they are assigned.
TEST_F(CoordinatorProxyTest, AHostThatComesLaterFindsItsRanksInTheJournal) {
  started_with_.membership = ElasticMembership{1, 3, seconds(5)};
  join(2);
  ASSERT_TRUE(joined_ && joined_->ok());
  line(job::Event(job::Admitted{}));
  line(job::Event(job::NodeUp{0, 8, "a"}));
  line(job::Event(job::NodeUp{1, 7, "b"}));
  line(job::Event(job::NodeUp{2, 9, "c", "node-c", 2}));
  for (const NodeIndex node : {0u, 1u})
    line(job::Event(job::Reported{node, 8 - node, 1, true, {{node, RankPhase::exited, {}, loop_.now()}}}));
  line(AttemptEndpoints{2, {{"10.0.0.1", 4000}}, {}});
  DesiredState desired;
  desired.attempt = 2;
  desired.run = true;
  desired.tasks.resize(2);
  coordinator_says(desired);
  const auto received = of_kind<DesiredState>(agent_->sent);
  ASSERT_EQ(received.size(), 1u);
  ASSERT_EQ(received[0].tasks.size(), 2u);
  EXPECT_EQ(received[0].tasks[1].environment.at("RANK"), "3");
  EXPECT_EQ(received[0].tasks[1].environment.at("WORLD_SIZE"), "4");
}

// The coordinator proxy may be suspended; then it ends no rank.
TEST_F(CoordinatorProxyTest, ItsAgentEndsItsRanksWithoutIt) {
  join();
  const Bind bind = of_kind<Bind>(agent_->sent).at(0);
  EXPECT_GT(bind.lease, kCoordinatorTimeout);
  EXPECT_EQ(bind.lease_grace, Duration(0));
  agent_->say(Report{7, 0, true, 0, {}, {}, ""});
  begin();
  EXPECT_EQ(of_kind<DesiredState>(agent_->sent).back().heard, 7u)
      << "the coordinator proxy is what it cannot do without";
  DesiredState stop;
  stop.attempt = 1;
  coordinator_says(stop);
  agent_->say(Report{8, 1, true, 0, {}, {}, ""});
  coordinator_says(JournalCopy{});
  EXPECT_EQ(of_kind<DesiredState>(agent_->sent).back().heard, 8u) << "between attempts nothing else is said";
}

TEST_F(CoordinatorProxyTest, WhatAgentAndCoordinatorSayIsPassedOn) {
  join();
  agent_->say(Report{3, 0, true, 0, {}, {}, ""});
  EXPECT_EQ(of_kind<Report>(dialer_.line->sent).back().beat, 3u);
  coordinator_says(RendezvousReply{7, {}});
  EXPECT_EQ(of_kind<RendezvousReply>(agent_->sent).back().id, 7u);
}

TEST_F(CoordinatorProxyTest, NoProgramOfACoordinatorsChoiceRunsHere) {
  join();
  begin();
  ExecStart start;
  start.argv = {"rm", "-rf", "data"};
  coordinator_says(ExecFrame{1, start});
  EXPECT_TRUE(of_kind<ExecFrame>(agent_->sent).empty());
}

TEST_F(CoordinatorProxyTest, PeerExec_OfItsRanks_IsRefusedAndNotPassedOn) {
  join();
  begin();
  agent_->say(PeerExec{{7, ExecStart{}}});
  EXPECT_TRUE(of_kind<PeerExec>(dialer_.line->sent).empty());
  ASSERT_EQ(of_kind<PeerExec>(agent_->sent).size(), 1u);
  const ExecFrame answer = of_kind<PeerExec>(agent_->sent)[0].frame;
  EXPECT_EQ(answer.id, 7u);
  EXPECT_EQ(std::get<ExecEnd>(answer.part).code, static_cast<int>(Code::failed_precondition));
}

TEST_F(CoordinatorProxyTest, TheJournalIsKeptHereAsWell) {
  join();
  begin();
  const auto kept = store_.read(job_);
  ASSERT_TRUE(kept.ok());
  const auto fold = JobFold::replay(*kept);
  ASSERT_TRUE(fold.ok());
  EXPECT_EQ(fold->submission().name, "train-node1");
  EXPECT_EQ(fold->state().attempt, 1u);
}

TEST_F(CoordinatorProxyTest, AJobWithoutThisHostIsRefused) {
  proxy_->start();
  Bind bind;
  bind.job = theirs_;
  bind.node = 7;
  coordinator_says(bind);
  line(submission());
  loop_.run_for(seconds(1));
  ASSERT_TRUE(joined_);
  EXPECT_EQ(joined_->message(), "the job's journal: it has no node for this host");
}

TEST_F(CoordinatorProxyTest, ALinkThatWasCutIsDialledAgainAndTheJournalGoesOnWhereItWas) {
  join();
  dialer_.line->close(Status(Code::unavailable, "cut"));
  loop_.run_for(seconds(1));
  const auto hello = of_kind<Hello>(dialer_.line->sent).at(0);
  EXPECT_EQ(hello.job, theirs_);
  EXPECT_EQ(hello.node, 1u);
  EXPECT_EQ(hello.incarnation, 9u);
  EXPECT_EQ(hello.offer->lines, 1u);
  EXPECT_FALSE(lost_);
}

TEST_F(CoordinatorProxyTest, SilenceEndsTheRanks) {
  join();
  loop_.run_for(kCoordinatorTimeout + seconds(3));
  ASSERT_TRUE(lost_);
  EXPECT_TRUE(lost_->message().starts_with("no message from node-a:29400 for 9 s")) << lost_->message();
  EXPECT_TRUE(store_.has_ended(job_)) << "nobody will ever tell the copy more";
}

TEST_F(CoordinatorProxyTest, AWordNowAndThenIsEnough) {
  join();
  for (int second = 0; second < 30; second += 5) {
    loop_.run_for(seconds(5));
    coordinator_says(JournalCopy{});
  }
  EXPECT_FALSE(lost_);
}

TEST_F(CoordinatorProxyTest, AStopIsAskedOfTheCoordinator) {
  join();
  EXPECT_TRUE(proxy_->stop(SIGINT, seconds(3)).ok());
  const Leave leave = of_kind<Leave>(dialer_.line->sent).at(0);
  EXPECT_EQ(leave, (Leave{"stopped by the user on node-b", true, SIGINT, seconds(3)}));
}

TEST_F(CoordinatorProxyTest, WhoStopsDoesNotWaitForACoordinatorThatIsSilent) {
  join();
  loop_.run_for(seconds(4));
  EXPECT_FALSE(proxy_->stop(SIGINT, seconds(30)).ok());
  loop_.run_for(seconds(1));
  ASSERT_TRUE(lost_);
  EXPECT_EQ(lost_->message(), "stopped while node-a:29400 could not be reached");
}

TEST_F(CoordinatorProxyTest, WhoIsSentAwayHearsWhy) {
  proxy_->start();
  coordinator_says(Dismiss{"all 2 hosts are there"});
  loop_.run_for(seconds(1));
  ASSERT_TRUE(joined_);
  EXPECT_EQ(*joined_, Status(Code::failed_precondition, "all 2 hosts are there"));
}

TEST_F(CoordinatorProxyTest, AnEndpointWhereNobodyListensIsWaitedForAndGivenUp) {
  dialer_.failure = Status(Code::unavailable, "connection refused");
  proxy_->start();
  loop_.run_for(seconds(10));
  EXPECT_EQ(remarks_, std::vector<std::string>{"waiting for node-a:29400, which does not answer yet"});
  EXPECT_FALSE(joined_);
  loop_.run_for(seconds(55));
  ASSERT_TRUE(joined_);
  EXPECT_EQ(joined_->message(), "node-a:29400 did not answer within 1 min");
}

TEST_F(CoordinatorProxyTest, SomethingElseThatAnswersIsNotWaitedFor) {
  dialer_.failure = Status(Code::unavailable, "Ssl handshake failed: CERTIFICATE_VERIFY_FAILED");
  proxy_->start();
  loop_.run_for(seconds(10));
  ASSERT_TRUE(joined_);
  EXPECT_NE(joined_->message().find("with the same MUSTER_TOKEN"), std::string::npos);
}

TEST_F(CoordinatorProxyTest, AHostThatTheJobGoesOnWithoutIsTold) {
  join();
  begin();
  coordinator_says(Dismiss{});
  loop_.run_for(seconds(1));
  ASSERT_TRUE(lost_);
  EXPECT_EQ(lost_->message(), "the job continues without this host");
  const auto copy = JobFold::replay(*store_.read(job_));
  EXPECT_EQ(copy->view().state, "cancelled");
  EXPECT_EQ(copy->view().sentence, "cancelled: the job continues without this host");
}

TEST_F(CoordinatorProxyTest, TheEndOfTheJobIsTheEndOfItsAgent) {
  join();
  line(job::Event(job::StopAsked{Duration(0), "stopped"}));
  EXPECT_TRUE(store_.has_ended(job_));
  coordinator_says(Dismiss{});
  loop_.run_for(seconds(20));
  EXPECT_EQ(of_kind<Dismiss>(agent_->sent).size(), 1u);
  EXPECT_TRUE(dialer_.line->hung_up) << "the first host waits until all have heard";
  EXPECT_FALSE(lost_);
}

}  // namespace
}  // namespace muster
