// SPDX-License-Identifier: Apache-2.0
// A job from its submission to its end, with actions of ranks and users.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class JobLife : public InAWorld {};

TEST_F(JobLife, OneRankThatExitsZeroSucceeds) {
  submit(job_spec("tiny"));
  expect_end("tiny", "succeeded");
  EXPECT_EQ(world->view("tiny").exit_code, 0);
  EXPECT_EQ(launches(), 1u);
}

TEST_F(JobLife, RanksOfTwoNodesAreNumberedFromZeroOnceEach) {
  submit(job_spec("wide", 2, 2));
  expect_end("wide", "succeeded");
  std::set<Rank> ranks;
  for (const Launch& launch : world->processes.launches()) {
    ranks.insert(launch.rank);
    EXPECT_EQ(launch.node, launch.rank / 2);
    EXPECT_EQ(launch.environment.at("MUSTER_WORLD_SIZE"), "4");
  }
  EXPECT_EQ(ranks, (std::set<Rank>{0, 1, 2, 3}));
  EXPECT_EQ(launches(), 4u);
}

TEST_F(JobLife, AFailingRankRestartsTheGangAndThenItSucceeds) {
  fail_in({1});
  submit(job_spec("phoenix", 2, 2, 3));
  expect_end("phoenix", "succeeded");
  const JobView view = world->view("phoenix");
  EXPECT_EQ(view.attempt, 2u);
  EXPECT_EQ(view.restarts, 1u);
  EXPECT_EQ(launches(), 8u);
  ASSERT_EQ(view.attempts.size(), 2u);
  EXPECT_EQ(view.attempts[0].culprit, 0u);
  EXPECT_EQ(view.attempts[0].consequences.size(), 3u);
}

TEST_F(JobLife, AFailureBeyondTheLimitFailsTheJobWithItsCause) {
  fail_in({1, 2, 3}, killed_by(SIGSEGV));
  submit(job_spec("doomed", 1, 2, 2));
  expect_end("doomed", "failed");
  const JobView view = world->view("doomed");
  EXPECT_EQ(view.attempt, 3u);
  EXPECT_EQ(view.exit_code, 1);
  EXPECT_EQ(view.propagated_code, 128 + SIGSEGV);
  EXPECT_THAT(view.sentence, HasSubstr("rank 0 was killed by SIGSEGV"));
}

TEST_F(JobLife, EachAttemptHasAPortOfItsOwn) {
  fail_in({1, 2});
  JobSpec spec = job_spec("ports", 2, 1, 2);
  spec.framework = Framework::torch;
  submit(spec);
  expect_end("ports", "succeeded");
  std::map<Attempt, std::set<std::string>> ports;
  for (const Launch& launch : world->processes.launches()) {
    ports[launch.attempt].insert(launch.environment.at("MASTER_PORT"));
  }
  std::set<std::string> all;
  for (const auto& [attempt, seen] : ports) {
    EXPECT_EQ(seen.size(), 1u) << "ranks of attempt " << attempt << " disagree";
    all.insert(*seen.begin());
  }
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(all.count("0"), 0u);
}

TEST_F(JobLife, ARankThatIgnoresSigtermGetsSigkillAfterTheGrace) {
  script([](const Launch& launch) {
    Program program{minutes(60), {}};
    program.ignores_term = true;
    return launch.rank == 0 ? Program{seconds(1), exited_with(1)} : program;
  });
  JobSpec spec = job_spec("deaf", 1, 2);
  spec.restarts.grace = seconds(3);
  submit(spec);
  ASSERT_TRUE(world->run_until_state("deaf", "stopping"));
  const TimePoint stopping = world->loop.now();
  ASSERT_TRUE(world->run_until_done("deaf"));
  EXPECT_GE(world->loop.now() - stopping, seconds(3));
  EXPECT_LE(world->loop.now() - stopping, seconds(3) + milliseconds(100));
  expect_end("deaf", "failed");
}

TEST_F(JobLife, AProgramThatCannotBeStartedFailsTheJobWithoutARestart) {
  script([](const Launch&) {
    Program program;
    program.spawn = Status(Code::not_found, "no program `train` in PATH");
    return program;
  });
  submit(job_spec("typo", 1, 2, 5));
  expect_end("typo", "failed");
  EXPECT_EQ(world->view("typo").attempt, 1u);
  EXPECT_EQ(world->view("typo").propagated_code, 127);
  EXPECT_THAT(world->view("typo").sentence, HasSubstr("train"));
}

TEST_F(JobLife, ADaemonLeftBehindIsSweptBeforeTheNextAttempt) {
  script([](const Launch& launch) {
    Program program = launch.attempt == 1 && launch.rank == 0 ? Program{seconds(1), exited_with(1)} : Program{};
    program.daemons = 2;
    return program;
  });
  submit(job_spec("parent", 2, 1, 1));
  expect_end("parent", "succeeded");
  EXPECT_EQ(world->view("parent").attempt, 2u);
}

TEST_F(JobLife, Helper_WithoutAPort_FinishesBesideTheNextAttempt) {
  script([](const Launch& launch) {
    Program program{launch.attempt == 1 ? seconds(1) : seconds(60), exited_with(launch.attempt == 1 ? 1 : 0)};
    program.daemons = launch.attempt == 1 ? 1 : 0;
    program.daemons_hold = false;
    return program;
  });
  submit(job_spec("helped", 1, 1, 1));
  expect_end("helped", "succeeded");
  const JobView view = world->view("helped");
  ASSERT_EQ(view.attempts.size(), 2u);
  EXPECT_LT(view.attempts[1].running - view.attempts[0].stopping, seconds(1)) << "the restart did not wait";
  ASSERT_EQ(view.troubles.size(), 1u);
  EXPECT_THAT(view.troubles[0], HasSubstr("left `daemon`"));
  EXPECT_THAT(view.troubles[0], HasSubstr("5 s after the last rank"));
}

TEST_F(JobLife, Leftover_OfTheLastAttempt_IsWaitedForAndThenReported) {
  script([](const Launch&) {
    Program program{seconds(1), {}};
    program.daemons = 2;
    return program;
  });
  JobSpec spec = job_spec("daemons");
  spec.timeouts.leftovers = seconds(20);
  submit(spec);
  world->loop.run_for(seconds(15));
  EXPECT_EQ(world->view("daemons").state, "stopping");
  expect_end("daemons", "succeeded");
  ASSERT_EQ(world->view("daemons").troubles.size(), 1u);
  EXPECT_THAT(world->view("daemons").troubles[0], HasSubstr("ranks left 2 processes running"));
}

TEST_F(JobLife, Kill_WhileLeftoversAreWaitedFor_EndsThemAtOnce) {
  script([](const Launch&) {
    Program program{seconds(1), {}};
    program.daemons = 1;
    program.ignores_term = true;
    return program;
  });
  JobSpec spec = job_spec("daemons");
  spec.timeouts.leftovers = minutes(60);
  submit(spec);
  world->loop.run_for(seconds(15));
  ASSERT_TRUE(world->controller().stop("daemons", SIGKILL, Duration(-1)).ok());
  world->loop.run_for(seconds(2));
  EXPECT_TRUE(world->processes.alive().empty());
  expect_end("daemons", world->view("daemons").state);
}

TEST_F(JobLife, ANodeLostRestartsTheGangOnANewAgent) {
  submit(job_spec("fragile", 2, 2, 1));
  ASSERT_TRUE(world->run_until_state("fragile", "running"));
  world->loop.run_for(seconds(2));
  world->agents.crash(*world->agents.of(1), "was killed by SIGKILL");
  expect_end("fragile", "succeeded");
  EXPECT_EQ(world->view("fragile").attempt, 2u);
  EXPECT_EQ(launches(), 8u);
  EXPECT_THAT(world->view("fragile").attempts[0].cause, HasSubstr("was lost"));
}

TEST_F(JobLife, AnAgentThatCannotBePlacedFailsTheAttemptAndIsTriedAgain) {
  world->refuse_places(Status(Code::resource_exhausted, "no more processes"));
  JobSpec spec = job_spec("late", 2, 1, 3);
  spec.restarts.first_backoff = seconds(5);
  submit(spec);
  ASSERT_TRUE(world->run_until_state("late", "backoff"));
  world->refuse_places(Status());
  expect_end("late", "succeeded");
}

TEST_F(JobLife, ADrainedAgentCostsOneRestart) {
  script([](const Launch& launch) { return launch.attempt == 1 ? Program{minutes(10)} : Program{}; });
  submit(job_spec("drained", 2, 1, 1));
  ASSERT_TRUE(world->run_until_state("drained", "running"));
  world->loop.run_for(seconds(2));
  world->agents.drain(*world->agents.of(1), seconds(30));
  expect_end("drained", "succeeded");
}

// A stop in each phase: (state to wait for, kill).
class JobLifeStop : public InAWorld, public testing::WithParamInterface<std::tuple<const char*, bool>> {};

TEST_P(JobLifeStop, AStopByTheUserCancelsTheJob) {
  const auto [state, kill] = GetParam();
  script([](const Launch& launch) {
    Program stubborn{minutes(60), {}};
    stubborn.ignores_term = true;
    return launch.attempt == 1 && launch.rank == 0 ? Program{seconds(1), exited_with(1)} : stubborn;
  });
  // Holds all GPUs, so that the tested job stays queued until this one ends.
  submit(job_spec("first", 1, 8));
  JobSpec spec = job_spec("second", 2, 4, 3);
  spec.restarts.first_backoff = seconds(20);
  submit(spec);
  if (std::string(state) != "queued") {
    ASSERT_TRUE(world->controller().stop("first", SIGKILL, Duration(-1)).ok());
    ASSERT_TRUE(world->run_until_state("second", state));
  }
  ASSERT_EQ(world->view("second").state, state);
  const TimePoint asked = world->loop.now();
  ASSERT_TRUE(world->controller().stop("second", kill ? SIGKILL : SIGTERM, Duration(-1)).ok());
  ASSERT_TRUE(world->run_until_done("second"));
  EXPECT_LE(world->loop.now() - asked, kill ? seconds(1) : seconds(31));
  EXPECT_EQ(world->view("second").state, "cancelled");
  EXPECT_EQ(world->view("second").exit_code, 130);
  EXPECT_EQ(world->view("second").waits_for, "");
  EXPECT_EQ(world->controller().stop("second", kill ? SIGKILL : SIGTERM, Duration(-1)).code(),
            Code::failed_precondition);
  world->controller().stop_all(Duration(0), "enough");
  expect_end("second", "cancelled");
}

INSTANTIATE_TEST_SUITE_P(Phases, JobLifeStop,
                         testing::Combine(testing::Values("queued", "placing", "running", "stopping", "backoff"),
                                          testing::Bool()));

TEST_F(JobLife, ASecondStopShortensTheGrace) {
  script([](const Launch&) {
    Program stubborn{minutes(60), {}};
    stubborn.ignores_term = true;
    return stubborn;
  });
  submit(job_spec("slow"));
  ASSERT_TRUE(world->run_until_state("slow", "running"));
  world->loop.run_for(seconds(1));
  ASSERT_TRUE(world->controller().stop("slow", SIGTERM, seconds(60)).ok());
  world->loop.run_for(seconds(5));
  EXPECT_EQ(world->view("slow").state, "stopping");
  ASSERT_TRUE(world->controller().stop("slow", SIGKILL, Duration(-1)).ok());
  world->loop.run_for(seconds(1));
  expect_end("slow", "cancelled");
}

TEST_F(JobLife, AStartTimeoutFailsAJobWhoseAgentsNeverSayHello) {
  world->network.set_longest_delay(Duration(0));
  submit(job_spec("mute"));
  for (const auto& [guardian, node] : world->agents.all()) world->network.keep_apart(guardian, true);
  EXPECT_TRUE(world->run_until_done("mute", minutes(6)));
  expect_end("mute", "failed");
}

TEST_F(JobLife, EveryRankOfATorchJobLearnsOfTheSameService) {
  JobSpec spec = job_spec("torch", 2, 2);
  spec.framework = Framework::torch;
  submit(spec);
  expect_end("torch", "succeeded");
  for (const Launch& launch : world->processes.launches()) {
    EXPECT_EQ(launch.environment.at("MASTER_ADDR"), "127.0.0.1");
    EXPECT_EQ(launch.environment.at("RANK"), std::to_string(launch.rank));
  }
}

}  // namespace
}  // namespace muster::sim
