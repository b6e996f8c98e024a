// SPDX-License-Identifier: Apache-2.0
// Broken links, agents that die, full disks.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class Faults : public InAWorld {
 protected:
  int64_t agent_of(NodeIndex node) { return *world->agents.of(node); }
};

TEST_F(Faults, ACutLinkIsDialledAnewAndCostsNothing) {
  submit(job_spec("linked", 2, 2));
  ASSERT_TRUE(world->run_until_state("linked", "running"));
  for (int i = 0; i < 5; ++i) {
    world->loop.run_for(seconds(1));
    world->network.cut(agent_of(0));
    world->network.cut(agent_of(1));
  }
  expect_end("linked", "succeeded");
  EXPECT_EQ(launches(), 4u);
}

TEST_F(Faults, ALinkCutBeforeTheBindArrivedCostsNothing) {
  submit(job_spec("unbound"));
  ASSERT_TRUE(world->run_until_state("unbound", "running"));
  world->network.cut(agent_of(0));  // with Bind and the first desired state in flight
  expect_end("unbound", "succeeded");
}

// Both nodes of attempt 1 are lost. The one that is back first is not told to run attempt 1 again.
TEST_F(Faults, ANodeThatIsBackFirstWaitsForTheNewAttempt) {
  submit(job_spec("twins", 2, 1, 1));
  ASSERT_TRUE(world->run_until_state("twins", "running"));
  world->loop.run_for(seconds(1));
  const int64_t second = agent_of(1);
  world->agents.crash(agent_of(0), "was killed by SIGKILL");
  world->agents.crash(second, "was killed by SIGKILL");
  ASSERT_TRUE(world->loop.run_until([&] { return world->agents.of(1).value_or(second) != second; }, minutes(1)));
  const int64_t late = agent_of(1);
  world->network.keep_apart(late, true);
  world->loop.run_for(seconds(10));
  EXPECT_EQ(launches(), 2u);
  world->network.keep_apart(late, false);
  expect_end("twins", "succeeded");
  EXPECT_EQ(launches(), 4u);
}

TEST_F(Faults, RanksRunOnWhileTheirNodeIsApart) {
  submit(job_spec("island", 2, 1));
  ASSERT_TRUE(world->run_until_state("island", "running"));
  world->loop.run_for(seconds(1));
  world->network.keep_apart(agent_of(1), true);
  world->loop.run_for(minutes(2));
  EXPECT_EQ(world->view("island").state, "running") << "one rank's end has not been heard of";
  world->network.keep_apart(agent_of(1), false);
  expect_end("island", "succeeded");
  EXPECT_EQ(launches(), 2u);
}

TEST_F(Faults, AnEndThatNobodyHeardOfIsKeptForADayFromThen) {
  script([](const Launch&) { return Program{std::chrono::hours(25)}; });
  submit(job_spec("unheard"));
  ASSERT_TRUE(world->run_until_state("unheard", "running"));
  world->loop.run_for(seconds(1));
  const int64_t away = agent_of(0);
  world->network.keep_apart(away, true);
  world->loop.run_for(std::chrono::hours(26));
  world->network.keep_apart(away, false);
  expect_end("unheard", "succeeded");
  EXPECT_EQ(launches(), 1u);
}

TEST_F(Faults, NoNewAttemptBeginsWhileANodeThatIsApartMayStillRunTheOld) {
  script([](const Launch& launch) {
    if (launch.attempt > 1) return Program{};
    return launch.rank == 0 ? Program{seconds(5), exited_with(1)} : Program{minutes(60)};
  });
  submit(job_spec("split", 2, 1, 1));
  ASSERT_TRUE(world->run_until_state("split", "running"));
  world->loop.run_for(seconds(1));
  const int64_t away = agent_of(1);
  world->network.keep_apart(away, true);
  world->loop.run_for(minutes(10));
  EXPECT_EQ(world->view("split").state, "stopping");
  EXPECT_THAT(world->view("split").sentence, HasSubstr("still stopping"));
  EXPECT_EQ(launches(), 2u);
  world->network.keep_apart(away, false);
  expect_end("split", "succeeded");
}

TEST_F(Faults, AStopReachesANodeThatWasApart) {
  script([](const Launch&) { return Program{minutes(60)}; });
  submit(job_spec("recalled", 2, 1));
  ASSERT_TRUE(world->run_until_state("recalled", "running"));
  world->loop.run_for(seconds(1));
  const int64_t away = agent_of(0);
  world->network.keep_apart(away, true);
  world->loop.run_for(seconds(1));
  ASSERT_TRUE(world->controller().stop("recalled", SIGTERM, Duration(-1)).ok());
  world->loop.run_for(minutes(1));
  EXPECT_EQ(world->processes.alive().size(), 1u);
  world->network.keep_apart(away, false);
  expect_end("recalled", "cancelled");
}

// Found by seed 333: a lease expired while its host slept, and its grace overlapped the next attempt after the wake-up.
TEST_F(Faults, AHostThatWakesAfterItsLeaseEndsItsRanksAtOnce) {
  WorldOptions options;
  options.hosts = 2;
  options.fixed_hosts = false;
  world = std::make_unique<World>(options);
  script([](const Launch&) {
    Program program{minutes(10)};
    program.ignores_term = true;
    return program;
  });
  submit(job_spec("sleeper", 1, 1, 1));
  ASSERT_TRUE(world->run_until_state("sleeper", "running"));
  world->loop.run_for(seconds(1));
  const HostIndex host = world->agents.host_of(agent_of(0));
  world->suspend(host);
  world->network.block(host, Way::to_agent);
  world->network.block(host, Way::to_coordinator);
  ASSERT_TRUE(world->loop.run_until([this] { return launches() == 2; }, minutes(2)));
  world->wake(host);
  world->loop.run_for(seconds(1));
  EXPECT_EQ(world->processes.alive().size(), 1u);
  world->network.unblock_all();
  world->report_ended_agents();
  expect_end("sleeper", "succeeded");
}

TEST_F(Faults, AnAgentWhoseJobEndedWithoutItLeavesWhenItReturns) {
  submit(job_spec("over", 1, 1));
  ASSERT_TRUE(world->run_until_state("over", "running"));
  // Cut between its last report and Dismiss.
  ASSERT_TRUE(world->run_until_done("over"));
  world->network.cut(agent_of(0));
  world->loop.run_for(seconds(8));
  EXPECT_TRUE(world->agents.all().empty());
  expect_end("over", "succeeded");
}

TEST_F(Faults, AnAgentThatDiesWhileItsRankRunsCostsOneRestart) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{minutes(60)} : Program{}; });
  submit(job_spec("orphan", 1, 4, 1));
  ASSERT_TRUE(world->run_until_state("orphan", "running"));
  world->loop.run_for(seconds(1));
  world->agents.crash(agent_of(0), "was killed by SIGKILL");
  expect_end("orphan", "succeeded");
  EXPECT_EQ(world->view("orphan").restarts, 1u);
}

TEST_F(Faults, AnAgentThatDiesInBackoffCostsNoFurtherRestart) {
  fail_in({1});
  JobSpec spec = job_spec("unlucky", 2, 1, 1);
  spec.restarts.first_backoff = seconds(10);
  submit(spec);
  ASSERT_TRUE(world->run_until_state("unlucky", "backoff"));
  world->agents.crash(agent_of(1), "was killed by SIGKILL");
  expect_end("unlucky", "succeeded");
  EXPECT_EQ(world->view("unlucky").restarts, 1u);
}

TEST_F(Faults, AFullDiskDoesNotStopWhatRunsAndANewAttemptWaitsForRoom) {
  fail_in({1});
  const JobId id = submit(job_spec("stuffed", 2, 2, 1));
  ASSERT_TRUE(world->run_until_state("stuffed", "running"));
  world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
  world->loop.run_for(seconds(30));
  EXPECT_EQ(launches(), 4u) << "the next controller would not know of a second attempt";
  world->store.fail_with(Status());
  expect_end("stuffed", "succeeded");
  EXPECT_FALSE(world->log.errors.empty());
  EXPECT_EQ(world->view_from_journal(id), world->view("stuffed"));
}

TEST_F(Faults, Attempt_OutputFilesCannotBeCreated_WaitsForRoom) {
  fail_in({1});
  const JobId id = submit(job_spec("blind", 1, 2, 1));
  ASSERT_TRUE(world->loop.run_until([this] { return launches() == 2; }, minutes(1)));
  world->output.refusal = Status(Code::resource_exhausted, "no inodes are left");
  world->loop.run_for(seconds(60));
  EXPECT_EQ(launches(), 2u) << "the second attempt would print to nowhere";
  EXPECT_THAT(world->view("blind").waits_for, HasSubstr("its output files: no inodes are left"));
  world->output.refusal = Status();
  expect_end("blind", "succeeded");
  EXPECT_EQ(launches(), 4u);
  EXPECT_EQ(world->view("blind").waits_for, "");
  const Result<std::vector<std::string>> lines = world->store.read(id);
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(std::count_if(lines->begin(), lines->end(),
                          [](const std::string& line) { return line.find("no inodes are left") != std::string::npos; }),
            1);
}

TEST_F(Faults, Attempt_OutputFilesStayImpossible_FailsWithTheReason) {
  world->output.refusal = Status(Code::resource_exhausted, "no inodes are left");
  submit(job_spec("blind", 1, 2));
  expect_end("blind", "failed");
  EXPECT_EQ(launches(), 0u);
  EXPECT_THAT(world->view("blind").sentence, HasSubstr("its output could not be stored for 2 min: no inodes are left"));
}

TEST_F(Faults, Attempt_StoppedWhileItWaitsForOutputFiles_Ends) {
  world->output.refusal = Status(Code::resource_exhausted, "no inodes are left");
  submit(job_spec("blind", 1, 2));
  world->loop.run_for(seconds(20));
  ASSERT_TRUE(world->controller().stop("blind", SIGTERM, Duration(-1)).ok());
  expect_end("blind", "cancelled");
  EXPECT_EQ(launches(), 0u);
}

TEST_F(Faults, AnAgentThatHasSeenMoreThanTheJournalIsReplaced) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{seconds(3), exited_with(1)} : Program{}; });
  const JobId id = submit(job_spec("behind", 2, 1, 3));
  ASSERT_TRUE(world->loop.run_until([this] { return launches() == 4; }, minutes(1)));
  world->crash_controller();
  world->loop.run_for(seconds(1));
  world->store.forget_after(id, 7);  // in the first attempt
  may_breach = true;                 // the second is begun twice, but not at the same time
  world->start_controller();
  expect_end("behind", "succeeded");
  for (const std::string& breach : world->breaches()) EXPECT_THAT(breach, HasSubstr("was started again"));
}

// Found by seed 4574: the journal lacked the job's end, and the next controller ran the job again.
TEST_F(Faults, AnEndThatMetAFullDiskIsWrittenWhenThereIsRoom) {
  const JobId id = submit(job_spec("late", 1, 1));
  ASSERT_TRUE(world->run_until_state("late", "running"));
  world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
  ASSERT_TRUE(world->run_until_done("late"));
  world->loop.run_for(minutes(1));
  EXPECT_EQ(world->view("late").state, "succeeded");
  world->store.fail_with(Status());
  world->loop.run_for(seconds(5));
  EXPECT_EQ(world->view_from_journal(id).state, "succeeded");
  world->crash_controller();
  world->loop.run_for(seconds(1));
  world->start_controller();
  expect_end("late", "succeeded");
  EXPECT_EQ(launches(), 1u);
}

TEST_F(Faults, JobEnd_DiskFullWithReserve_IsKnownToTheNextController) {
  for (const int code : {0, 1}) {
    SCOPED_TRACE(code);
    world = std::make_unique<World>(WorldOptions());
    world->store.reserve_room(true);
    script([code](const Launch&) { return Program{seconds(3), exited_with(code)}; });
    const JobId id = submit(job_spec("late", 1, 2));
    ASSERT_TRUE(world->run_until_state("late", "running"));
    world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
    ASSERT_TRUE(world->run_until_done("late"));
    world->crash_controller();
    world->loop.run_for(seconds(1));
    world->start_controller();
    expect_end("late", code == 0 ? "succeeded" : "failed");
    EXPECT_EQ(launches(), 2u);
  }
}

TEST_F(Faults, AFullDiskIsRemarkedOnce) {
  submit(job_spec("stuffed", 1, 1));
  ASSERT_TRUE(world->run_until_state("stuffed", "running"));
  world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
  ASSERT_TRUE(world->run_until_done("stuffed"));
  world->store.fail_with(Status());
  world->loop.run_for(seconds(1));
  const Result<std::vector<std::string>> lines = world->store.read(world->store.list()[0].id);
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(std::count_if(lines->begin(), lines->end(),
                          [](const std::string& line) {
                            return line.find("cannot write the job's journal") != std::string::npos;
                          }),
            1);
  expect_end("stuffed", "succeeded");
}

TEST_F(Faults, AControllerThatDiesWithAFullDiskNeverRunsTwoAttempts) {
  script([](const Launch& launch) {
    return launch.attempt == 1 ? Program{seconds(3), exited_with(1)} : Program{minutes(2)};
  });
  submit(job_spec("cursed", 2, 1, 3));
  ASSERT_TRUE(world->run_until_state("cursed", "running"));
  world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
  world->loop.run_for(seconds(10));
  world->crash_controller();
  world->store.fail_with(Status());
  world->loop.run_for(seconds(1));
  world->start_controller();
  world->loop.run_for(minutes(1));
  ASSERT_TRUE(world->controller().stop("cursed", SIGKILL, Duration(-1)).ok());
  expect_end("cursed", "cancelled");
}

TEST_F(Faults, AControllerHostThatForgetsWhatWasNotSyncedNeverRunsTwoAttempts) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    WorldOptions options;
    options.seed = seed;
    world = std::make_unique<World>(options);
    fail_in({1, 2});
    submit(job_spec("amnesia", 2, 2, 10));
    Random random(seed);
    for (int i = 0; i < 4; ++i) {
      world->loop.run_for(milliseconds(random.below(2000)));
      world->lose_controller_host();
      world->loop.run_for(seconds(2));
      world->start_controller();
    }
    EXPECT_TRUE(world->run_until_done("amnesia", minutes(5))) << world->view("amnesia").sentence;
    world->loop.run_for(seconds(30));
    EXPECT_THAT(world->breaches(), testing::IsEmpty());
    EXPECT_TRUE(world->agents.all().empty());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace muster::sim
