// SPDX-License-Identifier: Apache-2.0
// Rendezvous calls of ranks through agents and coordinator. The test plays the agents and sends what a real agent would
// forward.

#include "core/job/plan/job_node.h"
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

using Kind = RendezvousCall::Kind;

class RendezvousAgent {
 public:
  RendezvousAgent(World& world, int64_t guardian, std::optional<HostOffer> offered = {})
      : offer(std::move(offered)),
        dialer_(world.network.dialer(guardian, 0, world.hosts[0].kernel)),
        guardian_(guardian) {
    dial();
  }

  void dial() {
    dialer_->dial([this](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
      ASSERT_TRUE(channel.ok());
      channel_ = std::move(*channel);
      channel_->listen([this](const CoordinatorMessage& message) { heard(message); }, [](const Status&) {});
      channel_->send(hello());
    });
  }

  void ask(uint64_t id, uint32_t index, const RendezvousCall& call, Attempt attempt = 1) {
    channel_->send(RendezvousRequest{id, attempt, index, call});
  }
  void send(const AgentMessage& message) { channel_->send(message); }
  void say(Attempt attempt, RankPhase phase) {
    Report report{++beat_, attempt, phase == RankPhase::exited, 20001, {}};
    for (const uint32_t index : ranks) {
      RankReport rank;
      rank.index = index;
      rank.phase = phase;
      report.ranks.push_back(rank);
    }
    channel_->send(report);
  }

  std::map<uint64_t, RendezvousAnswer> answers;
  std::set<uint32_t> ranks;
  std::optional<Bind> bind;
  std::optional<DesiredState> desired;
  bool dismissed = false;
  std::optional<HostOffer> offer;
  std::vector<ExecFrame> execs;  // of exec processes here
  std::vector<ExecFrame> peers;  // for viewers here

 private:
  uint64_t beat_ = 1;  // of its hello
  Hello hello() const {
    Hello hello;
    hello.incarnation = static_cast<Incarnation>(guardian_);
    hello.guardian.pid = guardian_;
    hello.report.beat = 1;
    hello.report.meeting_port = 20001;
    hello.offer = offer;
    if (bind) hello.job = bind->job;
    if (bind) hello.node = bind->node;
    if (desired) hello.report.attempt = desired->attempt;
    if (desired) hello.report.quiet = false;
    return hello;
  }

  void heard(const CoordinatorMessage& message) {
    if (const auto* got = std::get_if<Bind>(&message)) bind = *got;
    if (const auto* got = std::get_if<RendezvousReply>(&message)) answers[got->id] = got->answer;
    if (std::holds_alternative<Dismiss>(message)) dismissed = true;
    if (const auto* got = std::get_if<ExecFrame>(&message)) execs.push_back(*got);
    if (const auto* got = std::get_if<PeerExec>(&message)) peers.push_back(got->frame);
    if (const auto* got = std::get_if<DesiredState>(&message)) {
      desired = *got;
      for (const RankTask& task : got->tasks) ranks.insert(task.index);
    }
  }

  std::unique_ptr<CoordinatorDialer> dialer_;
  const int64_t guardian_;
  std::unique_ptr<ChannelToCoordinator> channel_;
};

RendezvousCall call(Kind kind, const std::string& key, const std::string& value = "") {
  RendezvousCall call;
  call.kind = kind;
  call.key = key;
  call.value = value;
  return call;
}

class Rendezvous : public InAWorld {
 protected:
  explicit Rendezvous(const std::optional<HostOffer>& offer = {}) {
    world->play_agents([this, offer](const NodeRef& node) {
      agents[node.node] = std::make_unique<RendezvousAgent>(*world, 100 + node.node, offer);
      return 100 + node.node;
    });
    submit(job_spec("talk", 2, 1, 1));
    settle();
  }
  ~Rendezvous() override {
    world->crash_controller();
    settle();
  }

  void settle() { world->loop.run_for(milliseconds(50)); }

  std::map<NodeIndex, std::unique_ptr<RendezvousAgent>> agents;
};

TEST_F(Rendezvous, AValueSetByOneNodeIsReadByTheOther) {
  agents[0]->ask(1, 0, call(Kind::set, "id", "abc"));
  agents[1]->ask(1, 1, call(Kind::wait, "id"));
  settle();
  EXPECT_TRUE(agents[0]->answers.at(1).status.ok());
  EXPECT_EQ(agents[1]->answers.at(1).value, "abc");
}

TEST_F(Rendezvous, ABarrierIsAnsweredWhenAllHaveCome) {
  agents[0]->ask(1, 0, call(Kind::barrier, "start"));
  settle();
  EXPECT_TRUE(agents[0]->answers.empty());
  agents[1]->ask(1, 1, call(Kind::barrier, "start"));
  settle();
  EXPECT_TRUE(agents[0]->answers.at(1).status.ok());
  EXPECT_TRUE(agents[1]->answers.at(1).status.ok());
}

TEST_F(Rendezvous, ABarrierTimesOutNamingWhoIsMissing) {
  RendezvousCall barrier = call(Kind::barrier, "start");
  barrier.timeout = seconds(3);
  agents[0]->ask(1, 0, barrier);
  world->loop.run_for(seconds(4));
  EXPECT_EQ(agents[0]->answers.at(1).status.code(), Code::deadline_exceeded);
  EXPECT_THAT(agents[0]->answers.at(1).status.message(), HasSubstr("rank 1"));
}

TEST_F(Rendezvous, WaitersAreToldWhyWhenTheAttemptFails) {
  agents[0]->ask(1, 0, call(Kind::wait, "never"));
  settle();
  agents[1]->say(1, RankPhase::exited);
  settle();
  EXPECT_TRUE(agents[0]->answers.empty()) << "one rank that is done fails nobody";
  ASSERT_TRUE(world->controller().stop("talk", SIGTERM, Duration(-1)).ok());
  settle();
  EXPECT_EQ(agents[0]->answers.at(1).status.code(), Code::failed_precondition);
  EXPECT_THAT(agents[0]->answers.at(1).status.message(), HasSubstr("stopped by the user"));
}

TEST_F(Rendezvous, ACallOfAnotherAttemptIsRefused) {
  agents[0]->ask(1, 0, call(Kind::set, "k", "v"), 2);
  settle();
  EXPECT_EQ(agents[0]->answers.at(1).status.code(), Code::failed_precondition);
}

TEST_F(Rendezvous, ANodeAsksForItsOwnRanksOnly) {
  agents[0]->ask(1, 1, call(Kind::set, "k", "forged"));
  agents[0]->ask(2, 7, call(Kind::set, "k", "forged"));
  agents[1]->ask(1, 1, call(Kind::get, "k"));
  settle();
  EXPECT_EQ(agents[1]->answers.at(1).status.code(), Code::not_found);
}

TEST_F(Rendezvous, Get_OfTheNodes_ListsThemWithTheirRanks) {
  agents[0]->ask(1, 0, call(Kind::get, std::string(kJobNodesKey)));
  settle();
  const auto nodes = nodes_from_json(agents[0]->answers.at(1).value);
  ASSERT_TRUE(nodes.ok()) << nodes.status().message();
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_NE((*nodes)[0].name, (*nodes)[1].name);
  EXPECT_EQ((*nodes)[1].ranks, 1u);
  EXPECT_EQ((*nodes)[1].first_rank, 1u);
  EXPECT_EQ((*nodes)[1].attempt, 1u);
}

TEST_F(Rendezvous, PeerExec_OfARankOfAnotherNode_GoesThereAndBack) {
  ExecStart start;
  start.index = 1;
  start.argv = {"relay"};
  agents[0]->send(PeerExec{{7, start}});
  settle();
  ASSERT_EQ(agents[1]->execs.size(), 1u);
  EXPECT_EQ(std::get<ExecStart>(agents[1]->execs[0].part), start);
  const uint64_t id = agents[1]->execs[0].id;
  const ExecBytes typed{ExecStream::in, "typed", false};
  agents[0]->send(PeerExec{{7, typed}});
  agents[1]->send(ExecFrame{id, ExecBytes{ExecStream::out, "said", false}});
  settle();
  EXPECT_EQ(agents[1]->execs.back(), (ExecFrame{id, typed}));
  EXPECT_EQ(agents[0]->peers, (std::vector<ExecFrame>{{7, ExecBytes{ExecStream::out, "said", false}}}));
  agents[1]->send(ExecFrame{id, ExecEnd{}});
  settle();
  EXPECT_EQ(agents[0]->peers.back(), (ExecFrame{7, ExecEnd{}}));
}

TEST_F(Rendezvous, PeerExec_WhoseViewerLeavesOrLosesItsLink_IsEnded) {
  ExecStart start;
  start.index = 1;
  agents[0]->send(PeerExec{{7, start}});
  agents[0]->send(PeerExec{{8, start}});
  settle();
  agents[0]->send(PeerExec{{7, ExecLeave{}}});
  settle();
  EXPECT_EQ(agents[1]->execs.back(), (ExecFrame{agents[1]->execs.at(0).id, ExecLeave{}}));
  world->network.cut(100);
  settle();
  EXPECT_EQ(agents[1]->execs.back(), (ExecFrame{agents[1]->execs.at(1).id, ExecLeave{true}}));
}

// Of a job whose hosts the user started by hand.
struct RendezvousOfTypedHosts : Rendezvous {
  RendezvousOfTypedHosts() : Rendezvous(HostOffer{.ranks = 1}) {}
};

TEST_F(RendezvousOfTypedHosts, PeerExec_OfAHost_StartsNothingAndIsNotAnswered) {
  ASSERT_TRUE(agents[1]->bind);
  agents[1]->send(PeerExec{{7, ExecStart{}}});
  settle();
  EXPECT_TRUE(agents[0]->execs.empty());
  EXPECT_TRUE(agents[1]->peers.empty());
}

TEST_F(Rendezvous, PeerExec_OfANodeThatConnectsAgain_Ends) {
  ExecStart start;
  start.index = 1;
  agents[0]->send(PeerExec{{7, start}});
  settle();
  agents[0]->dial();
  settle();
  ASSERT_EQ(agents[1]->execs.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<ExecLeave>(agents[1]->execs[1].part));
}

TEST_F(Rendezvous, PeerExec_InAnAttemptThatDoesNotRun_IsRefused) {
  ExecStart start;
  start.index = 1;
  start.attempt = 1;
  agents[0]->send(PeerExec{{7, start}});
  start.attempt = 2;
  agents[0]->send(PeerExec{{8, start}});
  settle();
  EXPECT_EQ(agents[1]->execs.size(), 1u);
  ASSERT_EQ(agents[0]->peers.size(), 1u);
  EXPECT_EQ(agents[0]->peers[0].id, 8u);
  EXPECT_TRUE(std::get<ExecEnd>(agents[0]->peers[0].part).why.starts_with("attempt 2 of the rank has ended"));
}

TEST_F(Rendezvous, PeerExec_OfARankThatIsNotThere_IsRefused) {
  ExecStart start;
  start.index = 9;
  agents[0]->send(PeerExec{{7, start}});
  settle();
  ASSERT_EQ(agents[0]->peers.size(), 1u);
  EXPECT_NE(std::get<ExecEnd>(agents[0]->peers[0].part).code, 0);
}

TEST_F(Rendezvous, AnAnswerGoesToTheLinkThatAskedNotToItsSuccessor) {
  agents[0]->ask(1, 0, call(Kind::wait, "late"));
  settle();
  world->network.cut(100);
  settle();
  agents[0]->dial();
  settle();
  agents[1]->ask(1, 1, call(Kind::set, "late", "x"));
  settle();
  EXPECT_TRUE(agents[0]->answers.empty());
  agents[0]->ask(1, 0, call(Kind::wait, "late"));
  settle();
  EXPECT_EQ(agents[0]->answers.at(1).value, "x");
}

TEST_F(Rendezvous, AWishIsRepeatedWithItsTasksUntilItIsReported) {
  EXPECT_EQ(agents[0]->desired->tasks.size(), 1u);
  world->loop.run_for(seconds(2));
  EXPECT_EQ(agents[0]->desired->tasks.size(), 1u);
  agents[0]->say(1, RankPhase::running);
  world->loop.run_for(seconds(2));
  EXPECT_TRUE(agents[0]->desired->tasks.empty());
  EXPECT_TRUE(agents[0]->desired->run);
}

TEST_F(Rendezvous, ALateReportOfAnAttemptThatIsOverChangesNothing) {
  agents[0]->say(1, RankPhase::running);
  agents[1]->say(1, RankPhase::running);
  settle();
  agents[0]->say(7, RankPhase::exited);
  settle();
  EXPECT_EQ(world->view("talk").state, "running");
  EXPECT_EQ(world->view("talk").attempt, 1u);
}

TEST_F(Rendezvous, AReturningAgentOfAnotherIncarnationIsSentAway) {
  RendezvousAgent impostor(*world, 555);
  impostor.bind = agents[0]->bind;
  settle();
  world->network.cut(555);
  impostor.dial();
  settle();
  EXPECT_TRUE(impostor.dismissed);
  EXPECT_FALSE(agents[0]->dismissed);
  world->crash_controller();
  settle();
}

// An agent gets the job's environment and a coordinator proxy does not: neither may replace the other.
TEST_F(Rendezvous, AReturningAgentThatOffersAHostIsSentAway) {
  world->network.cut(100);
  agents[0]->offer = HostOffer{};
  agents[0]->dial();
  settle();
  EXPECT_TRUE(agents[0]->dismissed);
}

// With real agents: calls of workers to their agent.
class WorkersDoor : public InAWorld {
 protected:
  WorkersDoor() {
    submit(job_spec("talk", 2, 1, 1));
    EXPECT_TRUE(world->loop.run_until([this] { return launches() == 2; }, minutes(1)));
  }
  void ask(uint32_t index, const RendezvousCall& call) {
    world->agents.door(*world->agents.of(index)).ask({1, index, call}, [this](const WorkerAnswer& answer) {
      answers.push_back(std::get<RendezvousAnswer>(answer));
    });
  }

  std::vector<RendezvousAnswer> answers;
};

TEST_F(WorkersDoor, RanksMeetInABarrier) {
  ask(0, call(Kind::barrier, "start"));
  world->loop.run_for(milliseconds(50));
  EXPECT_TRUE(answers.empty());
  ask(1, call(Kind::barrier, "start"));
  world->loop.run_for(milliseconds(50));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers[0].status.ok() && answers[1].status.ok());
  expect_end("talk", "succeeded");
}

TEST_F(WorkersDoor, AWaiterIsToldToAskAgainWhenTheLinkIsLostAndMayAtOnce) {
  ask(0, call(Kind::wait, "late"));
  world->loop.run_for(milliseconds(50));
  world->network.cut(*world->agents.of(0));
  world->loop.run_for(milliseconds(10));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status.code(), Code::unavailable);
  ask(0, call(Kind::get, "late"));
  ASSERT_EQ(answers.size(), 2u) << "away: answered at once";
  EXPECT_EQ(answers[1].status.code(), Code::unavailable);
  world->loop.run_for(seconds(1));
  ask(0, call(Kind::get, "late"));
  world->loop.run_for(milliseconds(50));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[2].status.code(), Code::not_found);
  expect_end("talk", "succeeded");
}

TEST_F(WorkersDoor, RanksLearnWhereTheDoorIs) {
  EXPECT_EQ(world->processes.launches()[0].environment.at("MUSTER_SOCKET"), "/run/worker.socket");
}

}  // namespace
}  // namespace muster::sim
