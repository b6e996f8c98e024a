// SPDX-License-Identifier: Apache-2.0
// A controller dies after each line of the journal, and the next one takes its jobs over.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class TakeOver : public InAWorld {
 protected:
  void replace_controller(Duration away = seconds(2)) {
    world->crash_controller();
    world->loop.run_for(away);
    world->start_controller();
  }
};

TEST_F(TakeOver, ARunningJobGoesOnWithItsRanksUntouched) {
  submit(job_spec("steady", 2, 2));
  ASSERT_TRUE(world->run_until_state("steady", "running"));
  world->loop.run_for(seconds(2));
  replace_controller();
  EXPECT_EQ(world->view("steady").state, "running");
  expect_end("steady", "succeeded");
  EXPECT_EQ(launches(), 4u);
  EXPECT_EQ(world->view("steady").attempt, 1u);
}

// Found by seed 193: after the clock was set back, a timer of seconds waited until the clock had caught up.
TEST_F(TakeOver, AClockThatWasSetBackDelaysNothing) {
  fail_in({1});
  JobSpec spec = job_spec("early", 2, 1, 1);
  spec.restarts.first_backoff = seconds(5);
  submit(spec);
  ASSERT_TRUE(world->run_until_state("early", "running"));
  world->hosts[0].clock.jump(-std::chrono::hours(1));
  replace_controller();
  expect_end("early", "succeeded");
  EXPECT_EQ(world->view("early").attempt, 2u);
}

TEST_F(TakeOver, AJobThatEndedMeanwhileIsSeenToHaveEnded) {
  submit(job_spec("quick", 2, 2));
  ASSERT_TRUE(world->run_until_state("quick", "running"));
  world->loop.run_for(seconds(2));
  replace_controller(minutes(5));
  expect_end("quick", "succeeded");
  EXPECT_EQ(launches(), 4u);
}

TEST_F(TakeOver, ANewAgentsRanksHaveTheShellThatTheFirstControllerWasTold) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{minutes(60)} : Program{}; });
  world->shell_environment = {{"CUDA_VISIBLE_DEVICES", "5,3"}, {"CITY", "Bonn"}};
  world->shell_settings = {027, {{"nofile", 777}}};
  submit(job_spec("kept", 1, 1, 1));
  ASSERT_TRUE(world->run_until_state("kept", "running"));
  world->shell_environment.clear();
  world->shell_settings = {};
  replace_controller();
  world->agents.crash(*world->agents.of(0), "was killed by SIGKILL");
  expect_end("kept", "succeeded");
  ASSERT_EQ(launches(), 2u);
  const Launch& second = world->processes.launches()[1];
  EXPECT_EQ(second.settings, (ProcessSettings{027, {{"nofile", 777}}}));
  EXPECT_EQ(second.environment.at("CITY"), "Bonn");
  EXPECT_EQ(second.environment.at("CUDA_VISIBLE_DEVICES"), "GPU-5");
}

TEST_F(TakeOver, AQueuedJobIsPlannedOnTheGpusItsShellMaySee) {
  submit(job_spec("first", 1, 8));
  world->shell_environment = {{"CUDA_VISIBLE_DEVICES", "5,3"}};
  submit(job_spec("second", 1, 2));
  world->loop.run_for(seconds(1));
  replace_controller();
  expect_end("second", "succeeded");
  std::set<std::string> gpus;
  for (const Launch& launch : world->processes.launches()) {
    if (launch.job == "second") gpus.insert(launch.environment.at("CUDA_VISIBLE_DEVICES"));
  }
  EXPECT_EQ(gpus, (std::set<std::string>{"GPU-3", "GPU-5"}));
}

TEST_F(TakeOver, AFailureWhileNobodyWatchedIsRestartedByTheNextController) {
  script([](const Launch& launch) {
    return launch.attempt == 1 && launch.rank == 3 ? Program{seconds(5), exited_with(1)} : Program{};
  });
  submit(job_spec("unseen", 2, 2, 1));
  ASSERT_TRUE(world->run_until_state("unseen", "running"));
  replace_controller(minutes(1));
  expect_end("unseen", "succeeded");
  EXPECT_EQ(world->view("unseen").attempt, 2u);
}

TEST_F(TakeOver, ANodeThatDiedWhileNobodyWatchedIsLost) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{minutes(60)} : Program{}; });
  submit(job_spec("widowed", 2, 1, 1));
  ASSERT_TRUE(world->run_until_state("widowed", "running"));
  world->loop.run_for(seconds(2));
  world->crash_controller();
  world->agents.crash(*world->agents.of(1), "was killed by SIGKILL");
  world->loop.run_for(seconds(2));
  world->start_controller();
  expect_end("widowed", "succeeded");
  EXPECT_EQ(world->view("widowed").attempt, 2u);
}

TEST_F(TakeOver, AJobThatEndsUnderNobodyIsToldToLeaveByTheNextController) {
  submit(job_spec("late"));
  ASSERT_TRUE(world->run_until_state("late", "running"));
  world->loop.run_for(seconds(9));
  ASSERT_TRUE(world->run_until_done("late"));
  replace_controller();
  world->loop.run_for(seconds(30));
  EXPECT_TRUE(world->agents.all().empty());
}

TEST_F(TakeOver, AnAgentOfAJobThatIsUnknownIsSentAway) {
  submit(job_spec("forgotten", 2, 1));
  ASSERT_TRUE(world->run_until_state("forgotten", "running"));
  world->crash_controller();
  world->loop.run_for(seconds(1));
  ASSERT_TRUE(world->store.remove(world->store.list()[0].id).ok());
  world->start_controller();
  world->loop.run_for(seconds(30));
  EXPECT_TRUE(world->agents.all().empty());
  EXPECT_TRUE(world->processes.alive().empty());
}

TEST_F(TakeOver, AJobWhoseSubmitWasCutOffIsForgottenSoThatItCanBeSubmittedAgain) {
  // The folder was created, but the first line was not written: the user got no reply.
  Random random(3);
  JobRecord record{JobId::make(random), "half", "queued", world->loop.now(), TimePoint(), "key-half"};
  ASSERT_TRUE(world->store.create(record).ok());
  world->store.disown(record.id);
  replace_controller();
  const Result<JobView> again = world->submit(job_spec("half"), "key-half");
  ASSERT_TRUE(again.ok()) << again.status().message();
  expect_end("half", "succeeded");
}

TEST_F(TakeOver, AJournalThatCannotBeReadIsADamagedJobAndItsAgentsAreSentAway) {
  may_breach = true;  // the job has ended, and its ranks are killed as soon as their agent reports
  submit(job_spec("damaged"));
  ASSERT_TRUE(world->run_until_state("damaged", "running"));
  world->crash_controller();
  world->loop.run_for(seconds(1));
  world->store.damage_first_line(world->store.list()[0].id);
  world->start_controller();
  world->loop.run_for(seconds(30));
  EXPECT_EQ(world->store.list()[0].state, "damaged");
  EXPECT_NE(world->store.list()[0].ended, TimePoint());
  EXPECT_EQ(world->view("damaged").state, "damaged");
  EXPECT_TRUE(world->view("damaged").done);
  EXPECT_TRUE(world->agents.all().empty());
  EXPECT_TRUE(world->processes.alive().empty());
}

TEST_F(TakeOver, ABackoffThatRanOutMeanwhileWaitsForItsAgentsBeforeItGivesPorts) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{seconds(1), exited_with(1)} : Program{}; });
  JobSpec spec = job_spec("backoff", 2, 1, 1);
  spec.framework = Framework::torch;
  spec.restarts.first_backoff = seconds(5);
  submit(spec);
  ASSERT_TRUE(world->run_until_state("backoff", "backoff"));
  replace_controller(seconds(30));
  expect_end("backoff", "succeeded");
  for (const Launch& launch : world->processes.launches()) EXPECT_NE(launch.environment.at("MASTER_PORT"), "0");
}

// (line after which the controller dies, moment)
struct Crash {
  uint64_t line = 0;
  World::Moment moment = World::Moment::before_acting;
  Duration away{0};
};

class TakeOverFromAnyLine : public testing::Test {
 protected:
  // Fails once, waits in backoff, succeeds.
  void run(const std::optional<Crash>& crash) {
    world = std::make_unique<World>();
    world->processes.script([](const Launch& launch) {
      const bool fails = launch.attempt == 1 && launch.rank == 3;
      return fails ? Program{seconds(3), exited_with(1)} : Program{seconds(10)};
    });
    JobSpec spec = job_spec("hardy", 2, 2, 3);
    spec.framework = Framework::torch;
    spec.restarts.first_backoff = seconds(2);
    if (crash) world->crash_at_line(crash->line, crash->moment);
    const Result<JobView> submitted = world->submit(spec);
    if (crash) come_back(*crash);
    EXPECT_TRUE(world->run_until_done("hardy", minutes(3))) << world->view("hardy").sentence;
    world->loop.run_for(seconds(30));
  }

  void come_back(const Crash& crash) {
    EXPECT_TRUE(world->loop.run_until([this] { return !world->has_controller(); }, minutes(2)));
    world->loop.run_for(crash.away + milliseconds(1));
    world->start_controller();
  }

  void expect_as_if_nothing_happened() {
    const JobView view = world->view("hardy");
    EXPECT_EQ(view.state, "succeeded") << view.sentence;
    EXPECT_EQ(view.attempt, 2u);
    EXPECT_EQ(world->processes.launches().size(), 8u) << "ranks were restarted needlessly";
    EXPECT_TRUE(world->processes.alive().empty());
    EXPECT_TRUE(world->agents.all().empty());
    EXPECT_THAT(world->breaches(), testing::IsEmpty());
    expect_one_service_for_each_attempt();
    EXPECT_EQ(view, world->view_from_journal(view.id));
  }

  void expect_one_service_for_each_attempt() {
    std::map<Attempt, std::set<std::string>> ports;
    for (const Launch& launch : world->processes.launches()) {
      ports[launch.attempt].insert(launch.environment.at("MASTER_PORT"));
    }
    for (const auto& [attempt, seen] : ports) {
      EXPECT_EQ(seen.size(), 1u);
      EXPECT_EQ(seen.count("0"), 0u) << "attempt " << attempt;
    }
  }

  std::unique_ptr<World> world;
};

TEST_F(TakeOverFromAnyLine, TheJobEndsOnceAndNoRankIsRestarted) {
  run(std::nullopt);
  expect_as_if_nothing_happened();
  const uint64_t lines = world->store.appends();
  for (uint64_t line = 1; line <= lines; ++line) {
    for (const World::Moment moment : {World::Moment::before_acting, World::Moment::after_acting}) {
      for (const Duration away : {Duration(0), Duration(milliseconds(700)), Duration(seconds(20))}) {
        SCOPED_TRACE("line " + std::to_string(line) + " of " + std::to_string(lines) +
                     (moment == World::Moment::before_acting ? ", before" : ", after") + " acting, away " +
                     format_duration(away));
        run(Crash{line, moment, away});
        expect_as_if_nothing_happened();
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace muster::sim
