// SPDX-License-Identifier: Apache-2.0
// MPI services exchange values between nodes while links are lost, agents die, coordinators are replaced and attempts end. Each service
// checks what it gets (sim_exchange.h): values of the nodes of its own attempt and round, or nothing.

#include "test/sim/sim_exchange.h"
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

constexpr const char* kName = "meets";

class Exchange : public InAWorld {
 protected:
  Exchange() { use_services(); }
  ~Exchange() override { EXPECT_THAT(exchanges.breaches, testing::IsEmpty()); }

  void use_services() {
    world->hosts.front().add_services = [this](NodeServiceList& list, Loop& loop) {
      list.push_back(std::make_unique<SimExchange>(loop, exchanges));
    };
  }
  static JobSpec spec(uint32_t nodes = 2, uint32_t workers = 1, uint32_t limit = 0) {
    JobSpec spec = job_spec(kName, nodes, workers, limit);
    spec.framework = Framework::mpi;
    return spec;
  }
  // Node 0 comes to this round of the first attempt late; its peers wait for it.
  void delay_node_0(uint64_t number, Duration late) {
    exchanges.pause = [number, late](const MpiTask& task, uint64_t round) {
      const bool first = task.name_space.ends_with("-1-0");
      return first && task.node == 0 && round == number ? late : Duration(seconds(1));
    };
  }
  void run_until_met(uint64_t count) {
    ASSERT_TRUE(world->loop.run_until([&] { return exchanges.met == count; }, minutes(1))) << exchanges.met;
  }
  void cut_links() {
    for (const auto& [guardian, node] : world->agents.all()) world->network.cut(guardian);
  }
  void replace_controller(Duration away) {
    world->crash_controller();
    world->loop.run_for(away);
    world->start_controller();
  }
  void expect_success(Attempt attempt, uint64_t met) {
    expect_end(kName, "succeeded");
    EXPECT_EQ(world->view(kName).attempt, attempt);
    EXPECT_EQ(exchanges.met, met);
  }

  Exchanges exchanges;
};

TEST_F(Exchange, ThreeNodes_EachMeetsTheOthersInEachRound) {
  submit(spec(3, 2));
  run_until_met(3);
  EXPECT_EQ(launches(), 0u) << "the ranks start after round 2";
  expect_success(1, 12);
  EXPECT_EQ(launches(), 6u);
}

TEST_F(Exchange, LinksAreLost_BetweenTwoRounds_TheNodesMeetAgain) {
  delay_node_0(2, seconds(5));
  submit(spec());
  run_until_met(2);
  cut_links();
  expect_success(1, 8);
}

TEST_F(Exchange, ALinkIsLost_WhileItsNodeWaits_TheNodesMeet) {
  delay_node_0(2, seconds(5));
  submit(spec());
  run_until_met(2);
  world->loop.run_for(seconds(3));  // node 1 waits
  world->network.cut(*world->agents.of(1));
  expect_success(1, 8);
}

TEST_F(Exchange, TheCoordinatorIsReplaced_BetweenTwoRounds_TheNodesMeetAgain) {
  delay_node_0(2, seconds(8));
  submit(spec());
  run_until_met(2);
  replace_controller(seconds(3));
  expect_success(1, 8);
}

TEST_F(Exchange, AnAgentDies_WhileItsPeerWaits_TheNextAttemptMeetsOnItsOwn) {
  delay_node_0(2, minutes(10));
  submit(spec(2, 1, 1));
  run_until_met(2);
  world->loop.run_for(seconds(3));
  world->agents.crash(*world->agents.of(0), "was killed by SIGKILL");
  expect_success(2, 10);
  EXPECT_EQ(exchanges.starts.size(), 2u);
}

TEST_F(Exchange, AnAgentDies_AfterItGaveItsValue_ItsPeerGetsNothingOfItInTheNextAttempt) {
  delay_node_0(1, minutes(10));
  submit(spec(2, 1, 1));
  ASSERT_TRUE(world->loop.run_until([&] { return world->agents.all().size() == 2; }, minutes(1)));
  world->loop.run_for(seconds(5));  // node 1 has given its value
  world->agents.crash(*world->agents.of(1), "was killed by SIGKILL");
  expect_success(2, 8);
}

TEST_F(Exchange, ARankFails_WhileNodesWait_TheNextAttemptMeetsOnItsOwn) {
  delay_node_0(3, minutes(10));
  fail_in({1});
  submit(spec(2, 1, 1));
  expect_success(2, 12);
}

TEST_F(Exchange, TheAttemptEnds_WhileTheCoordinatorIsAway_TheNextAttemptMeetsOnItsOwn) {
  delay_node_0(3, minutes(10));
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{seconds(4), exited_with(1)} : Program{}; });
  submit(spec(2, 1, 1));
  run_until_met(4);
  world->loop.run_for(seconds(2));
  replace_controller(seconds(20));
  expect_success(2, 12);
}

TEST_F(Exchange, ANodeThatIsApart_WhenTheAttemptEnds_DoesNotMeetTheNext) {
  delay_node_0(3, minutes(10));
  fail_in({1});
  submit(spec(2, 1, 1));
  run_until_met(4);
  const int64_t apart = *world->agents.of(1);
  world->network.keep_apart(apart, true);
  world->loop.run_for(seconds(20));
  world->network.keep_apart(apart, false);
  expect_success(2, 12);
}

// Whatever is under way at that moment: a value, a question, an answer.
TEST_F(Exchange, LinksOrCoordinatorAreLost_AtAnyMoment_TheNodesMeet) {
  for (int moment = 0; moment < 100; ++moment) {
    SCOPED_TRACE(moment);
    world = std::make_unique<World>(WorldOptions{.seed = static_cast<uint64_t>(moment + 1)});
    world->network.set_longest_delay(milliseconds(300));
    use_services();
    exchanges = {};
    submit(spec());
    world->loop.run_for(milliseconds(100 * moment));
    if (moment % 3 == 0) replace_controller(milliseconds(700));
    if (moment % 3 == 1) cut_links();
    if (moment % 3 == 2 && world->agents.of(1)) world->network.cut(*world->agents.of(1));
    expect_success(1, 8);
    ASSERT_THAT(world->breaches(), testing::IsEmpty());
  }
}

TEST_F(Exchange, ANodeNeverComes_ItsRanksAreNamed_AlsoByTheNextCoordinator) {
  exchanges.rounds_before = 0;
  delay_node_0(1, minutes(60));
  script([](const Launch&) { return Program{minutes(120), {}}; });
  JobSpec hangs = spec(2, 2);
  hangs.hangs = {HangAction::report, seconds(60), false};
  submit(hangs);
  const auto is_told = [&] {
    return world->run_until_view(
        kName,
        [](const JobView& view) {
          return view.hang.find("waits for rank 0 on here and rank 1 on here (2 of 4)") != std::string::npos;
        },
        minutes(5));
  };
  EXPECT_TRUE(is_told()) << world->view(kName).hang;
  replace_controller(seconds(2));
  EXPECT_TRUE(is_told()) << world->view(kName).hang;
  world->ask_controller(
      [](Controller& controller) { static_cast<void>(controller.stop(kName, SIGTERM, Duration(-1))); });
  expect_end(kName, "cancelled");
}

}  // namespace
}  // namespace muster::sim
