// SPDX-License-Identifier: Apache-2.0
// Services that agents run for their ranks (core/port/node_service.h), played by the test: services that start slowly, fail, or end
// slowly.
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

// The behaviour of a test's services, and their state.
struct Conduct {
  Duration until_ready{0};
  std::map<int, std::string> fails_at_start;  // by the number of the start, from 1
  std::map<int, Duration> fails_after;        // likewise: after it is ready
  Duration until_stopped{0};
  std::string fault;   // of every rank
  bool meets = false;  // the services of all nodes meet in a fence, 1 s after they are ready

  std::vector<std::string> met;  // values of these fences, by answer

  int starts = 0;
  int alive = 0;  // of attempts
};

class PlayedService final : public NodeService {
 public:
  PlayedService(Loop& loop, std::shared_ptr<Conduct> conduct) : loop_(loop), conduct_(std::move(conduct)) {}
  ~PlayedService() override {
    *alive_ = false;
    if (!stopped_) --conduct_->alive;
  }

  std::string name() const override { return "played"; }
  Status reserve(const Bind&, const NodePorts&) override { return {}; }
  void start(const ServiceStart& begun, ServiceEvents events) override {
    const int start = ++conduct_->starts;
    if (conduct_->meets) {
      const std::string value =
          "node " + std::to_string(begun.bind.node) + " in attempt " + std::to_string(begun.desired.attempt);
      in(seconds(1), [this, meet = begun.rendezvous, value] { this->meet(meet, value); });
    }
    ++conduct_->alive;
    stopped_ = stopping_ = false;
    events_ = std::move(events);
    in(conduct_->until_ready, [this, start] { become_ready(start); });
  }
  RankGift gift(uint32_t index) const override {
    return {{{"PLAYED_FOR", std::to_string(index)}, {"MUSTER_RANK", "not this one"}}};
  }
  RankFault fault(uint32_t, const ExitStatus&) override { return {conduct_->fault}; }
  void stop() override {
    if (stopped_ || stopping_) return;
    stopping_ = true;
    if (conduct_->until_stopped == Duration(0)) return end();
    in(conduct_->until_stopped, [this] {
      end();
      events_.changed();
    });
  }
  bool stopped() const override { return stopped_; }
  void tell(Report&) override {}

 private:
  void meet(const ServiceRendezvous& rendezvous, const std::string& value) {
    rendezvous({RendezvousCall::Kind::fence, "services", value, "", 0, {0, 1}, Duration(0)},
               [conduct = conduct_](const RendezvousAnswer& answer) {
                 if (answer.status.ok()) conduct->met.push_back(answer.values.at(0) + ", " + answer.values.at(1));
               });
  }
  void become_ready(int start) {
    const auto fault = conduct_->fails_at_start.find(start);
    if (fault != conduct_->fails_at_start.end()) return events_.failed(fault->second);
    events_.ready();
    const auto later = conduct_->fails_after.find(start);
    if (later != conduct_->fails_after.end()) in(later->second, [this] { events_.failed("the played service broke"); });
  }
  void end() {
    stopped_ = true;
    --conduct_->alive;
  }
  void in(Duration time, std::function<void()> what) {
    loop_.at(loop_.now() + time, [alive = alive_, what = std::move(what)] {
      if (*alive) what();
    });
  }

  Loop& loop_;
  const std::shared_ptr<Conduct> conduct_;
  ServiceEvents events_;
  bool stopped_ = true;
  bool stopping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

class ServicesOfAnAgent : public InAWorld {
 protected:
  ServicesOfAnAgent() {
    world->hosts.front().add_services = [this](NodeServiceList& list, Loop& loop) {
      list.push_back(std::make_unique<PlayedService>(loop, conduct));
    };
  }
  const std::vector<Launch>& launched() const { return world->processes.launches(); }

  const std::shared_ptr<Conduct> conduct = std::make_shared<Conduct>();
};

TEST_F(ServicesOfAnAgent, SlowService_AnAttemptBegins_RanksWaitAndGetItsVariables) {
  conduct->until_ready = seconds(5);
  const TimePoint begun = world->loop.now();
  submit(job_spec("slow", 1, 2));
  world->loop.run_for(seconds(4));
  EXPECT_TRUE(launched().empty());
  expect_end("slow", "succeeded");
  EXPECT_GE(world->loop.now() - begun, seconds(15));
  ASSERT_EQ(launched().size(), 2u);
  EXPECT_EQ(launched()[1].environment.at("PLAYED_FOR"), "1");
  EXPECT_EQ(conduct->alive, 0);
}

TEST_F(ServicesOfAnAgent, ServiceFailsAtTheStart_TheJob_FailsWithItsSentence) {
  conduct->fails_at_start = {{1, "the played service has no disk"}};
  submit(job_spec("broken"));
  EXPECT_TRUE(world->run_until_done("broken"));
  EXPECT_THAT(world->view("broken").sentence, HasSubstr("the played service has no disk"));
  EXPECT_TRUE(launched().empty());
}

TEST_F(ServicesOfAnAgent, ServiceFailsLater_TheAttempt_EndsAndTheNextHasANewOne) {
  conduct->fails_after = {{1, seconds(3)}};
  submit(job_spec("again", 1, 2, 1));
  expect_end("again", "succeeded");
  EXPECT_EQ(conduct->starts, 2);
  ASSERT_EQ(launched().size(), 4u);
  EXPECT_EQ(launched()[3].attempt, 2u);
  EXPECT_EQ(conduct->alive, 0);
}

TEST_F(ServicesOfAnAgent, ServiceFails_AfterTheRanksOfItsNode_TheAttemptFailsWithItsSentence) {
  conduct->fails_after = {{1, seconds(3)}};
  script([](const Launch& launch) { return Program{launch.rank == 0 ? seconds(1) : minutes(5)}; });
  submit(job_spec("orphaned", 2));
  expect_end("orphaned", "failed");
  EXPECT_THAT(world->view("orphaned").sentence, HasSubstr("failed: the played service broke"));
}

TEST_F(ServicesOfAnAgent, ServiceKnowsAFault_RanksThatExitWith0_HaveFailed) {
  conduct->fault = "its program never joined its world";
  submit(job_spec("alone"));
  EXPECT_TRUE(world->run_until_done("alone"));
  EXPECT_THAT(world->view("alone").sentence, HasSubstr("exited with code 1: its program never joined its world"));
}

// As the PMIx service does; a fence must not meet one of an earlier attempt.
TEST_F(ServicesOfAnAgent, ServicesOfTwoNodes_ARankFails_MeetAgainInTheNextAttempt) {
  conduct->meets = true;
  fail_in({1});
  submit(job_spec("meets", 2, 1, 1));
  expect_end("meets", "succeeded");
  EXPECT_THAT(
      conduct->met,
      testing::ElementsAre("node 0 in attempt 1, node 1 in attempt 1", "node 0 in attempt 1, node 1 in attempt 1",
                           "node 0 in attempt 2, node 1 in attempt 2", "node 0 in attempt 2, node 1 in attempt 2"));
}

TEST_F(ServicesOfAnAgent, ServiceEndsSlowly_TheNextAttempt_WaitsForItsEnd) {
  conduct->until_stopped = seconds(20);
  fail_in({1});
  submit(job_spec("late", 1, 1, 1));
  EXPECT_TRUE(world->run_until_view(
      "late", [this](const JobView&) { return launched().size() == 2; }, minutes(2)));
  EXPECT_EQ(conduct->starts, 2);
  EXPECT_EQ(conduct->alive, 1) << "the first has ended";
  expect_end("late", "succeeded");
  EXPECT_EQ(conduct->alive, 0);
}

TEST_F(ServicesOfAnAgent, AJobIsStopped_WhileItsServiceStarts_NoRankStarts) {
  conduct->until_ready = minutes(1);
  submit(job_spec("stopped", 1, 2));
  world->loop.run_for(seconds(4));
  EXPECT_TRUE(world->controller().stop("stopped", SIGTERM, Duration(-1)).ok());
  expect_end("stopped", "cancelled");
  EXPECT_TRUE(launched().empty());
  EXPECT_EQ(conduct->alive, 0);
}

}  // namespace
}  // namespace muster::sim
