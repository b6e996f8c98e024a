// SPDX-License-Identifier: Apache-2.0
// File timers that ranks set through their agent's pipe: from the line to its effect.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

constexpr int64_t kWall = 1'700'000'000'000'000'000;

class Timers : public InAWorld {
 protected:
  Timers() {
    script([](const Launch& launch) { return Program{launch.attempt == 1 ? minutes(120) : seconds(10), {}}; });
  }
  void run(const std::string& enabled) {
    JobSpec spec = job_spec("timed", 2, 2, 1);
    spec.env["TORCHELASTIC_ENABLE_FILE_TIMER"].literal = enabled;
    submit(spec);
    ASSERT_TRUE(world->run_until_state("timed", "running"));
    world->loop.run_for(seconds(2));
  }
  SimTimers& pipe(NodeIndex node) { return world->agents.timers(*world->agents.of(node)); }
  int64_t pid(uint32_t index) { return world->view("timed").ranks[index].pid; }
  void set(NodeIndex node, int64_t pid, const std::string& scope, int64_t left, int signal = 9) {
    pipe(node).write("{\"pid\": " + std::to_string(pid) + ", \"scope_id\": \"" + scope + "\", \"expiration_time\": " +
                         std::to_string(kWall / 1'000'000'000 + left) + ", \"signal\": " + std::to_string(signal) + "}",
                     kWall);
  }
};

TEST_F(Timers, OneThatIsOverIsTheCause) {
  run("1");
  set(1, pid(3), "train.py#41", 5);
  world->loop.run_for(seconds(4));
  EXPECT_EQ(world->view("timed").attempt, 1u);
  expect_end("timed", "succeeded");
  EXPECT_EQ(world->view("timed").attempt, 2u);
  const AttemptView first = world->view("timed").attempts[0];
  EXPECT_EQ(first.culprit, 3u);
  EXPECT_EQ(describe_exit(first.culprit_exit), "was killed by SIGKILL: its timer `train.py#41` expired");
}

TEST_F(Timers, ReleasedOrWithoutASignalOrOfAStrangerNothingFollows) {
  run("1");
  set(1, pid(3), "a", 5);
  set(1, pid(3), "a", -2 * kWall / 1'000'000'000);
  set(1, pid(2), "b", 5, 0);
  set(1, pid(0), "c", 5);
  set(1, 1, "d", 5);
  pipe(1).write("no timer", kWall);
  world->loop.run_for(seconds(20));
  EXPECT_EQ(world->view("timed").attempt, 1u);
  world->ask_controller(
      [](Controller& controller) { static_cast<void>(controller.stop("timed", SIGTERM, Duration(-1))); });
  expect_end("timed", "cancelled");
}

TEST_F(Timers, ThereIsNoPipeUnlessAskedFor) {
  run("0");
  EXPECT_FALSE(pipe(0).is_open());
  world->ask_controller(
      [](Controller& controller) { static_cast<void>(controller.stop("timed", SIGTERM, Duration(-1))); });
  expect_end("timed", "cancelled");
}

}  // namespace
}  // namespace muster::sim
