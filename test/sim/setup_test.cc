// SPDX-License-Identifier: Apache-2.0
// The setup of nodes before their ranks start.

#include <algorithm>

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

bool is_setup(const Launch& launch) { return launch.attempt == 0; }

class Setup : public InAWorld {
 protected:
  // The invariants take each process for a rank, but setup commands are none.
  Setup() { may_breach = true; }

  static JobSpec spec(const std::string& name, uint32_t nodes = 2) {
    JobSpec made = job_spec(name, nodes, 1, 2);
    made.setup = {{"make", "data"}, {"make"}};
    return made;
  }

  size_t setups() const {
    const std::vector<Launch>& all = world->processes.launches();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), is_setup));
  }

  // Setup commands take `takes`; those of node 1 end with `second`.
  void set_up(Duration takes, const ExitStatus& second = {}) {
    script([=](const Launch& launch) {
      if (!is_setup(launch)) return Program{};
      return Program{takes, launch.node == 1 ? second : ExitStatus()};
    });
  }
};

TEST_F(Setup, EveryNodeIsSetUpBeforeAnyRankBegins) {
  set_up(seconds(200));
  submit(spec("first"));
  expect_end("first", "succeeded");
  const std::vector<Launch>& all = world->processes.launches();
  EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), is_setup));
  EXPECT_EQ(setups(), 2u) << "one of two nodes of a host does it";
}

TEST_F(Setup, TheNextJobDoesNotDoItAgainAndOneThatIsAnotherDoes) {
  set_up(seconds(1));
  submit(spec("first", 1));
  expect_end("first", "succeeded");
  submit(spec("second", 1));
  expect_end("second", "succeeded");
  EXPECT_EQ(setups(), 2u);
  JobSpec other = spec("other", 1);
  other.env["LEVEL"] = {"2", std::nullopt};
  submit(other);
  expect_end("other", "succeeded");
  EXPECT_EQ(setups(), 4u);
}

TEST_F(Setup, AFailureEndsTheJobAndUsesNoRestart) {
  set_up(seconds(1), exited_with(3));
  submit(spec("broken"));
  expect_end("broken", "failed");
  const JobView view = world->view("broken");
  EXPECT_THAT(view.sentence, HasSubstr("failed: setup failed on "));
  EXPECT_THAT(view.sentence, HasSubstr("`make data` exited with code 3"));
  EXPECT_EQ(view.attempt, 1u);
  EXPECT_EQ(view.exit_code, 1);
  const std::vector<Launch>& all = world->processes.launches();
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), is_setup));
}

// The phase is not journaled, so run_until_view() would not check the view again.
TEST_F(Setup, AStopEndsIt) {
  set_up(minutes(30));
  submit(spec("stopped"));
  ASSERT_TRUE(world->loop.run_until(
      [&] { return world->view("stopped").waits_for.find("setup on ") != std::string::npos; }, minutes(1)));
  world->ask_controller(
      [](Controller& controller) { static_cast<void>(controller.stop("stopped", SIGTERM, Duration(-1))); });
  expect_end("stopped", "cancelled");
}

TEST_F(Setup, ANewControllerGoesOnWithIt) {
  set_up(seconds(60));
  submit(spec("taken"));
  ASSERT_TRUE(world->loop.run_until([&] { return setups() == 1; }, minutes(1)));
  world->crash_controller();
  world->loop.run_for(seconds(2));
  world->start_controller();
  expect_end("taken", "succeeded");
  EXPECT_EQ(setups(), 2u);
}

TEST_F(Setup, AVirtualEnvironmentHasToBeThere) {
  JobSpec lacks = job_spec("lacks");
  lacks.python.venv = "/opt/env";
  submit(lacks);
  expect_end("lacks", "failed");
  EXPECT_THAT(world->view("lacks").sentence, HasSubstr(" has no virtual environment /opt/env"));
  for (SimHost& host : world->hosts) host.setups.venvs.insert("/opt/env");
  JobSpec has = job_spec("has");
  has.python.venv = "/opt/env";
  submit(has);
  expect_end("has", "succeeded");
  const Launch& rank = world->processes.launches().back();
  EXPECT_EQ(rank.environment.at("VIRTUAL_ENV"), "/opt/env");
  EXPECT_TRUE(rank.environment.at("PATH").starts_with("/opt/env/bin"));
}

}  // namespace
}  // namespace muster::sim
