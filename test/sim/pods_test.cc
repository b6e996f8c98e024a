// SPDX-License-Identifier: Apache-2.0
// Nodes that join by themselves and are taken away, like pods: the loss uses no restart, and an agent without coordinator ends.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class PodLife : public InAWorld {
 protected:
  PodLife() {
    WorldOptions options;
    options.hosts = 3;
    options.fixed_hosts = false;
    options.pods = true;
    options.linger = true;
    world = std::make_unique<World>(options);
    script([](const Launch& launch) { return launch.attempt == 1 ? Program{minutes(60 * 24)} : Program{}; });
  }

  void begin(const std::string& job) {
    id_ = submit(job_spec(job, 2, 1, 0));
    ASSERT_TRUE(world->run_until_state(job, "running"));
    world->loop.run_for(seconds(2));
  }

  void expect_free_restart(const std::string& job) {
    expect_end(job, "succeeded");
    EXPECT_EQ(world->view(job).attempt, 2u);
    EXPECT_EQ(world->counted_restarts(id_), 0u);
  }

  JobId id_;
};

TEST_F(PodLife, ANodeThatIsEvicted_UsesUpNoRestart) {
  begin("evicted");
  world->agents.drain(*world->agents.of(1), seconds(30));
  expect_free_restart("evicted");
  EXPECT_THAT(world->view("evicted").attempts[0].cause, HasSubstr("its node was drained"));
}

TEST_F(PodLife, ANodeThatIsGone_UsesUpNoRestart) {
  begin("gone");
  world->power_off(world->agents.host_of(*world->agents.of(1)));
  expect_free_restart("gone");
  EXPECT_THAT(world->view("gone").attempts[0].cause, HasSubstr("no report for"));
}

TEST_F(PodLife, AnAgentThatDies_UsesUpOne) {
  begin("killed");
  world->agents.crash(*world->agents.of(1), "was killed by SIGKILL");
  expect_end("killed", "failed");
}

TEST_F(PodLife, WhoseCoordinatorStaysAway_EndsByItself) {
  begin("orphan");
  world->crash_controller();
  world->loop.run_for(minutes(5));
  EXPECT_TRUE(world->processes.alive().empty());  // their leases have expired
  EXPECT_EQ(world->agents.all().size(), 2u);
  world->loop.run_for(minutes(60));
  EXPECT_TRUE(world->agents.all().empty());
}

TEST_F(PodLife, WhoseCoordinatorComesBackInTime_RunsAgain) {
  begin("patient");
  world->crash_controller();
  world->loop.run_for(minutes(50));
  world->start_controller();
  expect_free_restart("patient");
}

}  // namespace
}  // namespace muster::sim
