// SPDX-License-Identifier: Apache-2.0
// Output of ranks on hosts whose files the controller cannot read.

#include "core/base/text.h"
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

// An agent whose reports the test chooses.
class PlayedAgent {
 public:
  PlayedAgent(World& world, int64_t guardian)
      : dialer_(world.network.dialer(guardian, 0, world.hosts[0].kernel)),
        guardian_(guardian) {
    dialer_->dial([this](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
      ASSERT_TRUE(channel.ok());
      channel_ = std::move(*channel);
      channel_->listen([](const CoordinatorMessage&) {}, [](const Status&) {});
      Hello hello;
      hello.incarnation = static_cast<Incarnation>(guardian_);
      hello.guardian.pid = guardian_;
      hello.report.beat = 1;
      hello.report.meeting_port = 20001;
      channel_->send(hello);
    });
  }
  // Its rank has ended, and `left` bytes of output have not been sent yet.
  void say_done(uint64_t left) {
    Report report{++beat_, 1, true, 20001, {}};
    report.ranks.push_back({});
    report.ranks.back().phase = RankPhase::exited;
    report.output_left = left;
    report.output_attempt = 1;
    channel_->send(report);
  }

 private:
  std::unique_ptr<CoordinatorDialer> dialer_;
  const int64_t guardian_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  uint64_t beat_ = 1;  // of its hello
};

class SentOutput : public InAWorld {
 protected:
  SentOutput() {
    world = std::make_unique<World>(WorldOptions{.hosts = 2, .shares_files = false});
    // The failure message of a rank comes with its exit.
    world->on_process([this](const std::string& what, ProcessHandle, const SimProcesses::Process& process) {
      const bool end = what == "exit" && !process.daemon;
      if (end || what == "spawn" || what == "refused") print(process, end ? failure_message : "begins\n");
    });
  }

  void print(const SimProcesses::Process& process, const std::string& text) {
    process.host->output.files[process.stdout_path] += text;
    printed[process.stdout_path] += text;
  }
  void expect_all_here() {
    for (const auto& [path, text] : printed) EXPECT_EQ(world->output.files[path].size(), text.size()) << path;
  }
  bool some_is_here() {
    return std::any_of(printed.begin(), printed.end(),
                       [this](const auto& file) { return world->output.size(file.first) > kOutputFrame; });
  }
  void expect_nothing_left_on_hosts() {
    for (const SimHost& host : world->hosts) EXPECT_TRUE(host.output.files.empty()) << host.name;
  }

  // The output that a viewer got, and the end of the follow.
  struct Shown {
    uint64_t bytes = 0;
    bool said_the_end = false;
    bool bytes_after_the_end = false;
    bool over = false;
  };
  std::shared_ptr<Shown> follow(const std::string& job) {
    struct Sink final : FollowSink {
      explicit Sink(std::shared_ptr<Shown> into) : shown(std::move(into)) {}
      bool write(const FollowItem& item) override {
        if (const auto* chunk = std::get_if<OutputChunk>(&item.item)) {
          shown->bytes += chunk->bytes.size();
          shown->bytes_after_the_end |= shown->said_the_end;
        }
        if (const auto* event = std::get_if<JobEvent>(&item.item)) shown->said_the_end |= event->state == "succeeded";
        return true;
      }
      void listen(std::function<void()>, std::function<void()>) override {}
      void finish(const Status&) override { shown->over = true; }
      std::shared_ptr<Shown> shown;
    };
    auto shown = std::make_shared<Shown>();
    FollowRequest request;
    request.job = job;
    request.follow = request.output = request.events = true;
    world->controller().follow(request, std::make_unique<Sink>(shown));
    return shown;
  }

  std::string failure_message = "ends\n";
  std::map<NodeIndex, std::unique_ptr<PlayedAgent>> played;
  std::map<std::string, std::string> printed;
};

TEST_F(SentOutput, Attempt_DiskOfTheHostFull_WaitsForRoom) {
  for (SimHost& host : world->hosts)
    host.output.refusal = Status(Code::resource_exhausted, "cannot write to /cache: the disk is full");
  submit(job_spec("stuck", 1, 2));
  world->loop.run_for(seconds(30));
  EXPECT_EQ(launches(), 0u);
  EXPECT_THAT(world->view("stuck").waits_for, testing::StartsWith("its output files on "));
  EXPECT_THAT(world->view("stuck").waits_for, HasSubstr("cannot write to /cache: the disk is full"));
  for (SimHost& host : world->hosts) host.output.refusal = Status();
  expect_end("stuck", "succeeded");
  expect_all_here();
}

TEST_F(SentOutput, IsHereWhenTheJobIsDoneAndNothingStaysOnItsHosts) {
  submit(job_spec("told", 2, 2));
  const auto shown = follow("told");
  expect_end("told", "succeeded");
  EXPECT_EQ(printed.size(), 4u);
  expect_all_here();
  expect_nothing_left_on_hosts();
  EXPECT_TRUE(shown->over);
  EXPECT_EQ(shown->bytes, 4 * 12u);
}

TEST_F(SentOutput, ARanksEndIsToldBehindItsFailureMessage) {
  submit(job_spec("traced", 1, 1));
  ASSERT_TRUE(world->run_until_state("traced", "running"));
  EXPECT_TRUE(world->run_until_done("traced"));
  expect_all_here();
}

TEST_F(SentOutput, ARankThatCannotStart_IsReportedThoughItsFilesAreNotSentYet) {
  script([](const Launch&) {
    Program program;
    program.spawn = Status(Code::not_found, "no such program");
    return program;
  });
  submit(job_spec("short", 2, 1));
  expect_end("short", "failed");
  expect_all_here();
}

TEST_F(SentOutput, AFloodDoesNotHoldTheEndButFollowersSeeItBeforeTheirLastWord) {
  failure_message = std::string(8 << 20, 'x');
  world->network.set_longest_delay(milliseconds(50));
  submit(job_spec("loud", 2, 1));
  const auto shown = follow("loud");
  ASSERT_TRUE(world->run_until_done("loud"));
  EXPECT_FALSE(shown->over);
  ASSERT_TRUE(world->loop.run_until([&] { return shown->over; }, minutes(5)));
  EXPECT_EQ(shown->bytes, 2 * ((8u << 20) + 7));
  EXPECT_FALSE(shown->bytes_after_the_end);
  expect_end("loud", "succeeded");
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, ANewControllerGoesOnWhereTheFilesEnd) {
  failure_message = std::string(3 << 20, 'x');
  script([](const Launch& launch) { return Program{launch.rank == 0 ? seconds(5) : seconds(60)}; });
  submit(job_spec("taken", 2, 1));
  ASSERT_TRUE(world->loop.run_until([this] { return some_is_here(); }, minutes(1)));
  world->crash_controller();
  world->loop.run_for(seconds(2));
  world->start_controller();
  expect_end("taken", "succeeded");
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, AfterALostLinkTheRestComes) {
  failure_message = std::string(3 << 20, 'x');
  submit(job_spec("cut", 2, 1));
  ASSERT_TRUE(world->loop.run_until([this] { return some_is_here(); }, minutes(1)));
  for (const auto& [guardian, node] : world->agents.all()) world->network.cut(guardian);
  expect_end("cut", "succeeded");
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, WhatDoesNotComeStaysAndTheJobSaysSo) {
  failure_message = std::string(8 << 20, 'x');
  world->network.set_longest_delay(milliseconds(50));
  submit(job_spec("gone", 1, 1));
  const auto shown = follow("gone");
  ASSERT_TRUE(world->run_until_done("gone"));
  for (const auto& [guardian, node] : world->agents.all()) world->network.keep_apart(guardian, true);
  ASSERT_TRUE(world->loop.run_until([&] { return shown->over; }, minutes(30)));
  EXPECT_THAT(world->view("gone").troubles, testing::Contains(HasSubstr("of rank output on")));
  bool stays = false;
  for (const SimHost& host : world->hosts) stays |= !host.output.files.empty();
  EXPECT_TRUE(stays);
  for (const auto& [guardian, node] : world->agents.all()) world->network.keep_apart(guardian, false);
}

// Regression: the agent was considered hanging, and was killed when its host was reachable again.
TEST_F(SentOutput, ANodeOutOfReachIsWaitedForWhenItsGangStops) {
  script([](const Launch& launch) {
    if (launch.attempt > 1) return Program{};
    return launch.rank == 0 ? Program{seconds(5), exited_with(1)} : Program{minutes(60)};
  });
  submit(job_spec("split", 2, 1, 1));
  ASSERT_TRUE(world->run_until_state("split", "running"));
  world->loop.run_for(seconds(1));
  const int64_t away = *world->agents.of(1);
  world->network.keep_apart(away, true);
  world->loop.run_for(minutes(10));
  EXPECT_EQ(world->view("split").state, "stopping");
  EXPECT_TRUE(world->backend().ended.empty());
  world->network.keep_apart(away, false);
  expect_end("split", "succeeded");
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, AnAgentThatHearsAndSaysNothingIsEnded) {
  world->play_agents([this](const NodeRef& node) {
    played[node.node] = std::make_unique<PlayedAgent>(*world, 100 + node.node);
    return 100 + node.node;
  });
  submit(job_spec("stiff"));
  world->loop.run_for(seconds(1));
  ASSERT_TRUE(world->controller().stop("stiff", SIGTERM, Duration(0)).ok());
  world->loop.run_for(minutes(1));
  EXPECT_FALSE(world->backend().ended.empty());
}

TEST_F(SentOutput, AHostThatClaimsMoreThanItSendsDoesNotKeepTheJob) {
  world->play_agents([this](const NodeRef& node) {
    played[node.node] = std::make_unique<PlayedAgent>(*world, 100 + node.node);
    return 100 + node.node;
  });
  submit(job_spec("claims"));
  const auto shown = follow("claims");
  world->loop.run_for(seconds(1));
  for (uint64_t left = 1000; left > 900; --left) {
    played[0]->say_done(left);
    world->loop.run_for(seconds(1));
  }
  EXPECT_EQ(world->view("claims").state, "succeeded");
  EXPECT_TRUE(shown->over);
}

TEST_F(SentOutput, WhatAKilledAgentLeftComesWithTheNextAttempt) {
  script([](const Launch& launch) { return Program{launch.attempt == 1 ? minutes(60) : seconds(10)}; });
  submit(job_spec("killed", 1, 2, 1));
  ASSERT_TRUE(world->run_until_state("killed", "running"));
  world->loop.run_for(seconds(2));
  world->agents.crash(*world->agents.of(0), "was killed by SIGKILL");
  expect_end("killed", "succeeded");
  EXPECT_EQ(printed.size(), 4u);
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, WhatAKilledAgentMayHaveLeftIsSaidWithItsPlace) {
  script([](const Launch&) { return Program{minutes(60)}; });
  const JobId id = submit(job_spec("killed"));
  ASSERT_TRUE(world->run_until_state("killed", "running"));
  world->loop.run_for(seconds(2));
  world->agents.crash(*world->agents.of(0), "was killed by SIGKILL");
  expect_end("killed", "failed");
  EXPECT_THAT(world->view("killed").troubles, testing::Contains(HasSubstr("jobs/" + id.text())));
}

TEST_F(SentOutput, AnEndThatNobodyHeardOfIsKept) {
  script([](const Launch&) { return Program{std::chrono::hours(1)}; });
  submit(job_spec("unheard"));
  ASSERT_TRUE(world->run_until_state("unheard", "running"));
  world->loop.run_for(seconds(1));
  const int64_t away = *world->agents.of(0);
  world->network.keep_apart(away, true);
  world->loop.run_for(std::chrono::hours(27));
  world->network.keep_apart(away, false);
  expect_end("unheard", "succeeded");
  EXPECT_EQ(launches(), 1u);
  expect_all_here();
}

TEST_F(SentOutput, ARemovedJobWaitsForNothing) {
  failure_message = std::string(8 << 20, 'x');
  submit(job_spec("removed", 1, 1));
  ASSERT_TRUE(world->run_until_done("removed"));
  EXPECT_TRUE(world->controller().remove("removed").ok());
  world->loop.run_for(minutes(1));
  EXPECT_TRUE(world->agents.all().empty());
}

}  // namespace
}  // namespace muster::sim
