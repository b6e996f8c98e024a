// SPDX-License-Identifier: Apache-2.0
// Commands of a controller: submit, list, stop, remove; the queue; its shutdown.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class ControllerIn : public InAWorld {};

TEST_F(ControllerIn, ASubmitWithAKnownKeyGetsTheSameJob) {
  const Result<JobView> first = world->submit(job_spec("once"), "key-1");
  const Result<JobView> again = world->submit(job_spec("once"), "key-1");
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->id, again->id);
  expect_end("once", "succeeded");
  const Result<JobView> after = world->submit(job_spec("once"), "key-1");
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->id, first->id);
  EXPECT_TRUE(after->done);
  EXPECT_EQ(launches(), 1u);
}

TEST_F(ControllerIn, ASubmitWithAKnownKeyGetsTheSameJobFromTheNextController) {
  const Result<JobView> first = world->submit(job_spec("once"), "key-1");
  ASSERT_TRUE(first.ok());
  world->loop.run_for(seconds(1));
  world->crash_controller();
  world->loop.run_for(seconds(1));
  world->start_controller();
  const Result<JobView> again = world->submit(job_spec("once"), "key-1");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(first->id, again->id);
  expect_end("once", "succeeded");
}

TEST_F(ControllerIn, WhichCodeAJobRunsMayBeNotedLaterAndBehindItsEnd) {
  const Result<JobView> job = world->submit(job_spec("once"));
  ASSERT_TRUE(job.ok());
  EXPECT_TRUE(world->controller().note_code(job->id.text(), "3f2a9c1").ok());
  EXPECT_EQ(world->view("once").code_commit, "3f2a9c1");
  expect_end("once", "succeeded");
  world->loop.run_for(seconds(1));
  EXPECT_TRUE(world->controller().note_code(job->id.text(), "3f2a9c1+dirty").ok());
  EXPECT_EQ(world->view("once").code_commit, "3f2a9c1+dirty");
  world->crash_controller();
  world->loop.run_for(seconds(1));
  world->start_controller();
  EXPECT_EQ(world->view("once").state, "succeeded") << "it does no harm to the end";
  EXPECT_EQ(world->controller().note_code("nobody", "3f2a9c1").code(), Code::not_found);
}

TEST_F(ControllerIn, ASecondLiveJobOfTheSameNameIsRefusedUntilTheFirstHasEnded) {
  submit(job_spec("twin"));
  const Result<JobView> second = world->submit(job_spec("twin"));
  EXPECT_EQ(second.status().code(), Code::already_exists);
  EXPECT_THAT(second.status().message(), HasSubstr("twin"));
  expect_end("twin", "succeeded");
  submit(job_spec("twin"));
  expect_end("twin", "succeeded");
}

TEST_F(ControllerIn, AJobThatNeverFitsIsRefused) {
  const Result<JobView> refused = world->submit(job_spec("huge", 3, 3));
  EXPECT_EQ(refused.status().code(), Code::resource_exhausted);
  EXPECT_TRUE(world->store.list().empty());
}

TEST_F(ControllerIn, AnInvalidJobIsRefusedWithItsDiagnostics) {
  JobSpec spec = job_spec("bad");
  spec.groups[0].command.clear();
  EXPECT_EQ(world->submit(spec).status().code(), Code::invalid_argument);
  EXPECT_TRUE(world->store.list().empty());
}

TEST_F(ControllerIn, ASubmitOnAFullDiskIsRefusedAndLeavesNothing) {
  for (uint64_t after = 0; after < 5; ++after) {
    world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"), after);
    const Result<JobView> refused = world->submit(job_spec("full"), "key");
    EXPECT_EQ(refused.status().code(), Code::resource_exhausted);
    EXPECT_THAT(refused.status().message(), HasSubstr("the disk is full"));
    EXPECT_TRUE(world->store.list().empty());
  }
  world->store.fail_with(Status());
  submit(job_spec("full"));
  expect_end("full", "succeeded");
}

TEST_F(ControllerIn, ASubmitThatIsSaidAgainOnAFullDiskLeavesTheJobThatRuns) {
  const Result<JobView> first = world->submit(job_spec("once"), "key");
  ASSERT_TRUE(world->run_until_state("once", "running"));
  world->store.fail_with(Status(Code::resource_exhausted, "the disk is full"));
  const Result<JobView> again = world->submit(job_spec("once"), "key");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->id, first->id);
  world->store.fail_with(Status());
  expect_end("once", "succeeded");
}

TEST_F(ControllerIn, AJobWaitsForDevicesSaysSoAndThenRuns) {
  submit(job_spec("first", 1, 6));
  submit(job_spec("second", 1, 6));
  world->loop.run_for(seconds(5));
  EXPECT_EQ(world->view("second").state, "queued");
  EXPECT_NE(world->view("second").waits_for, "");
  EXPECT_EQ(world->view("first").waits_for, "");
  expect_end("second", "succeeded");
  EXPECT_EQ(world->view("second").waits_for, "");
  EXPECT_GE(world->view("second").started, world->view("first").ended);
}

TEST_F(ControllerIn, AJobGetsTheDevicesOfOneThatEndedEvenIfItsAgentLeavesSlowly) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    WorldOptions options;
    options.seed = seed;
    world = std::make_unique<World>(options);
    world->network.set_longest_delay(milliseconds(300));
    submit(job_spec("first", 1, 8));
    submit(job_spec("second", 1, 8));
    expect_end("second", "succeeded");
    if (HasFailure()) return;
  }
}

TEST_F(ControllerIn, JobsThatFitTogetherRunOnDevicesOfTheirOwn) {
  submit(job_spec("left", 1, 4));
  submit(job_spec("right", 1, 4));
  world->loop.run_for(seconds(5));
  EXPECT_EQ(world->view("left").state, "running");
  EXPECT_EQ(world->view("right").state, "running");
  std::set<std::string> gpus;
  for (const Launch& launch : world->processes.launches()) gpus.insert(launch.environment.at("CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(gpus.size(), 8u);
  expect_end("left", "succeeded");
  expect_end("right", "succeeded");
}

TEST_F(ControllerIn, AJobHasOnlyTheGpusItsShellMaySee) {
  JobSpec everything = job_spec("one");
  everything.groups[0].workers = {true, 0};
  everything.groups[0].worker.gpus = {true, 0};
  world->shell_environment = {{"CUDA_VISIBLE_DEVICES", "1"}};
  submit(everything);
  expect_end("one", "succeeded");
  ASSERT_EQ(launches(), 1u);
  EXPECT_EQ(world->processes.launches()[0].environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1");
  everything.name = "none";
  world->shell_environment = {{"CUDA_VISIBLE_DEVICES", ""}};
  submit(everything);
  expect_end("none", "succeeded");
  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(world->processes.launches()[1].environment.at("CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(world->submit(job_spec("some")).status().code(), Code::resource_exhausted);
}

TEST_F(ControllerIn, TheQueueIsFirstComeFirstServed) {
  submit(job_spec("runs", 1, 6));
  submit(job_spec("wide", 1, 8));
  submit(job_spec("small", 1, 1));
  world->loop.run_for(seconds(5));
  EXPECT_EQ(world->view("small").state, "queued") << "it fits, but came after one that does not";
  EXPECT_NE(world->view("small").waits_for, "") << "a queued job says what it waits for";
  expect_end("small", "succeeded");
  EXPECT_GE(world->view("small").started, world->view("wide").ended);
}

TEST_F(ControllerIn, TheQueueKeepsItsOrderUnderTheNextController) {
  submit(job_spec("runs", 1, 8));
  submit(job_spec("b-second", 1, 8));
  world->loop.run_for(milliseconds(10));
  submit(job_spec("a-third", 1, 8));
  world->loop.run_for(seconds(2));
  world->crash_controller();
  world->loop.run_for(seconds(2));
  world->start_controller();
  expect_end("a-third", "succeeded");
  EXPECT_LE(world->view("b-second").ended, world->view("a-third").started);
  EXPECT_LE(world->view("runs").ended, world->view("b-second").started);
}

TEST_F(ControllerIn, AQueuedJobThatIsStoppedLeavesTheQueue) {
  submit(job_spec("runs", 1, 8));
  submit(job_spec("gives-up", 1, 8));
  submit(job_spec("next", 1, 8));
  ASSERT_TRUE(world->controller().stop("gives-up", SIGTERM, Duration(-1)).ok());
  expect_end("next", "succeeded");
  EXPECT_EQ(world->view("gives-up").state, "cancelled");
  EXPECT_EQ(world->view("gives-up").waits_for, "");
}

TEST_F(ControllerIn, AQueueTimeoutFailsAJobThatWaitsTooLong) {
  submit(job_spec("runs", 1, 8));
  JobSpec spec = job_spec("hasty", 1, 8);
  spec.timeouts.queue = seconds(3);
  submit(spec);
  expect_end("hasty", "failed");
  EXPECT_THAT(world->view("hasty").sentence, HasSubstr("timeouts.queue"));
  expect_end("runs", "succeeded");
}

TEST_F(ControllerIn, StopAndRemoveOfAnUnknownJobAreNotFound) {
  EXPECT_EQ(world->controller().stop("nobody", SIGTERM, Duration(-1)).code(), Code::not_found);
  EXPECT_EQ(world->controller().remove("nobody").code(), Code::not_found);
  EXPECT_EQ(world->controller().describe("nobody").status().code(), Code::not_found);
}

TEST_F(ControllerIn, RemoveIsRefusedWhileTheJobIsLiveAndForgetsItAfterwards) {
  submit(job_spec("brief"));
  EXPECT_EQ(world->controller().remove("brief").code(), Code::failed_precondition);
  ASSERT_TRUE(world->run_until_done("brief"));
  world->loop.run_for(milliseconds(1));
  EXPECT_TRUE(world->controller().remove("brief").ok());
  EXPECT_EQ(world->controller().describe("brief").status().code(), Code::not_found);
  EXPECT_TRUE(world->store.list().empty());
  world->loop.run_for(seconds(30));
  EXPECT_TRUE(world->agents.all().empty());
}

TEST_F(ControllerIn, AnIdleControllerLeavesOnlyWhenNothingIsLive) {
  WorldOptions options;
  options.idle = seconds(60);
  world = std::make_unique<World>(options);
  script([](const Launch&) { return Program{minutes(5)}; });
  submit(job_spec("long"));
  world->loop.run_for(minutes(4));
  EXPECT_TRUE(world->has_controller());
  ASSERT_TRUE(world->run_until_done("long"));
  world->loop.run_for(seconds(50));
  EXPECT_TRUE(world->has_controller());
  EXPECT_EQ(world->controller().list({.all = true}).size(), 1u);  // a call restarts the idle minute
  world->loop.run_for(seconds(50));
  EXPECT_TRUE(world->has_controller());
  world->loop.run_for(seconds(15));
  EXPECT_TRUE(world->controller_left());
  EXPECT_FALSE(world->has_controller());
}

TEST_F(ControllerIn, AShutdownIsRefusedWhileAJobIsLiveUnlessForced) {
  submit(job_spec("busy"));
  world->loop.run_for(seconds(1));
  const Status refused = world->controller().shutdown(false);
  EXPECT_EQ(refused.code(), Code::failed_precondition);
  EXPECT_THAT(refused.message(), HasSubstr("busy"));
  EXPECT_TRUE(world->controller().shutdown(true).ok());
  world->loop.run_for(seconds(1));
  EXPECT_TRUE(world->controller_left());
  EXPECT_EQ(world->processes.alive().size(), 1u) << "agents go on";
  world->start_controller();
  expect_end("busy", "succeeded");
  EXPECT_EQ(launches(), 1u);
}

TEST_F(ControllerIn, AStandaloneControllerThatIsGoneTakesTheRanksWithIt) {
  WorldOptions options;
  options.linger = false;
  world = std::make_unique<World>(options);
  script([](const Launch&) { return Program{minutes(60)}; });
  submit(job_spec("alone", 2, 2));
  ASSERT_TRUE(world->run_until_state("alone", "running"));
  world->loop.run_for(seconds(2));
  EXPECT_EQ(world->processes.alive().size(), 4u);
  world->crash_controller();
  world->loop.run_for(seconds(5));
  EXPECT_TRUE(world->processes.alive().empty());
  EXPECT_TRUE(world->agents.all().empty());
}

TEST_F(ControllerIn, AgentsInsideAJob_WaitForALostControllerForALimitedTime) {
  WorldOptions options;
  options.linger = false;
  options.patience = seconds(60);
  world = std::make_unique<World>(options);
  script([](const Launch&) { return Program{minutes(60)}; });
  submit(job_spec("inner", 2, 2));
  ASSERT_TRUE(world->run_until_state("inner", "running"));
  world->loop.run_for(seconds(2));
  const int64_t agent = *world->agents.of(0);
  world->network.keep_apart(agent, true);
  world->loop.run_for(seconds(30));
  world->network.keep_apart(agent, false);
  world->loop.run_for(seconds(60));
  EXPECT_EQ(world->view("inner").state, "running");
  EXPECT_EQ(launches(), 4u);
  world->crash_controller();
  world->loop.run_for(seconds(50));
  EXPECT_EQ(world->processes.alive().size(), 4u);
  world->loop.run_for(seconds(20));
  EXPECT_TRUE(world->processes.alive().empty());
}

TEST_F(ControllerIn, StopAllEndsEveryJob) {
  script([](const Launch&) { return Program{minutes(60)}; });
  submit(job_spec("one", 1, 4));
  submit(job_spec("two", 1, 4));
  submit(job_spec("three", 1, 4));
  world->loop.run_for(seconds(5));
  world->controller().stop_all(seconds(2), "interrupted");
  for (const char* name : {"one", "two", "three"}) expect_end(name, "cancelled");
}

TEST_F(ControllerIn, AFollowOfAnUnknownJobEndsWithNotFound) {
  struct Sink final : FollowSink {
    explicit Sink(Status& ended) : ended_(ended) {}
    bool write(const FollowItem&) override { return true; }
    void listen(std::function<void()>, std::function<void()>) override {}
    void finish(const Status& status) override { ended_ = status; }
    Status& ended_;
  };
  Status ended;
  FollowRequest request;
  request.job = "nobody";
  world->controller().follow(request, std::make_unique<Sink>(ended));
  EXPECT_EQ(ended.code(), Code::not_found);
}

}  // namespace
}  // namespace muster::sim
