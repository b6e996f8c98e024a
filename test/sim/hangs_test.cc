// SPDX-License-Identifier: Apache-2.0
// Ranks that hang: from the agents' samples to the consequences.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class Hangs : public InAWorld {
 protected:
  Hangs() {
    script([](const Launch& launch) { return Program{launch.attempt == 1 ? minutes(120) : seconds(10), {}}; });
  }
  static JobSpec spec(HangAction action) {
    JobSpec spec = job_spec("stiff", 2, 2, 3);
    spec.hangs = {action, seconds(60), false};
    return spec;
  }
  void run(const JobSpec& spec) {
    submit(spec);
    ASSERT_TRUE(world->run_until_state("stiff", "running"));
    world->loop.run_for(seconds(20));
  }
  void stop_rank(uint32_t index) {
    const int64_t pid = world->view("stiff").ranks[index].pid;
    ASSERT_GT(pid, 0);
    for (SimHost& host : world->hosts) host.probe.stopped.insert(pid);
  }
  void go_on() {
    for (SimHost& host : world->hosts) host.probe.stopped.clear();
  }
  void fall_silent() {
    for (SimHost& host : world->hosts) host.probe.silent = true;
  }
  void end() {
    world->ask_controller(
        [](Controller& controller) { static_cast<void>(controller.stop("stiff", SIGTERM, Duration(-1))); });
    expect_end("stiff", "cancelled");
  }
};

TEST_F(Hangs, AStoppedRankIsToldWithinTwoBeatsWithWhereItStands) {
  run(spec(HangAction::report));
  stop_rank(2);
  world->loop.run_for(seconds(2));
  const JobView view = world->view("stiff");
  EXPECT_THAT(view.hang, HasSubstr("rank 2"));
  EXPECT_THAT(view.hang, HasSubstr("; it is in read"));
  EXPECT_THAT(view.hang_stack, HasSubstr("main"));
  EXPECT_EQ(view.state, "running");
  go_on();
  world->loop.run_for(seconds(3));
  EXPECT_EQ(world->view("stiff").hang, "");
  EXPECT_EQ(world->view("stiff").attempt, 1u);
  end();
}

TEST_F(Hangs, SocketsOfTheAttemptBeforeAreRemoved) {
  JobSpec deep = spec(HangAction::restart);
  deep.env["TORCH_WORKER_SERVER_SOCKET"].literal = "/" + std::string(120, 'd') + "/rank.torch";
  run(deep);
  SimDoor& door = world->agents.door(*world->agents.of(0));
  EXPECT_THAT(door.removed, testing::IsEmpty());
  stop_rank(1);
  world->loop.run_for(seconds(5));
  ASSERT_EQ(world->view("stiff").attempt, 2u);
  EXPECT_THAT(door.removed, testing::ElementsAre("/run/worker-1-0.torch", "/run/worker-1-1.torch"));
  go_on();
  expect_end("stiff", "succeeded");
}

TEST_F(Hangs, TheJobMayWantARestartAndItsPolicyApplies) {
  run(spec(HangAction::restart));
  stop_rank(1);
  world->loop.run_for(seconds(2));
  go_on();
  expect_end("stiff", "succeeded");
  const JobView view = world->view("stiff");
  EXPECT_EQ(view.attempt, 2u);
  EXPECT_EQ(view.restarts, 1u);
  EXPECT_EQ(view.attempts[0].culprit, 1u);
  EXPECT_THAT(view.attempts[0].cause, HasSubstr("is stopped by a signal"));
}

TEST_F(Hangs, SilenceWithoutStepsIsOnlyTold) {
  run(spec(HangAction::restart));
  fall_silent();
  world->loop.run_for(minutes(3));
  EXPECT_THAT(world->view("stiff").hang, HasSubstr("no rank has shown activity since "));
  EXPECT_EQ(world->view("stiff").attempt, 1u);
  end();
}

TEST_F(Hangs, AControllerThatTakesOverKnowsWhatWasToldAndTellsItNoSecondTime) {
  run(spec(HangAction::report));
  stop_rank(0);
  world->loop.run_for(seconds(3));
  world->crash_controller();
  world->loop.run_for(seconds(2));
  world->start_controller();
  world->loop.run_for(seconds(5));
  EXPECT_THAT(world->view("stiff").hang, HasSubstr("rank 0"));
  go_on();
  world->loop.run_for(seconds(3));
  EXPECT_EQ(world->view("stiff").hang, "");
  end();
}

}  // namespace
}  // namespace muster::sim
