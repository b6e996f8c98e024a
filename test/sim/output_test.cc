// What ranks print on hosts whose files the controller cannot read.

#include "core/base/text.h"
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class SentOutput : public InAWorld {
 protected:
  SentOutput() {
    world = std::make_unique<World>(WorldOptions{.hosts = 2, .shares_files = false});
    // A rank's last words come with its end.
    world->on_process([this](const std::string& what, ProcessHandle, const SimProcesses::Process& process) {
      const bool end = what == "exit" && !process.daemon;
      if (end || what == "spawn") print(process, end ? last_words : "begins\n");
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

  // What a viewer was shown, and how it ended.
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

  std::string last_words = "ends\n";
  std::map<std::string, std::string> printed;
};

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

TEST_F(SentOutput, ARanksEndIsToldBehindItsLastWords) {
  submit(job_spec("traced", 1, 1));
  ASSERT_TRUE(world->run_until_state("traced", "running"));
  EXPECT_TRUE(world->run_until_done("traced"));
  expect_all_here();
}

TEST_F(SentOutput, AFloodDoesNotHoldTheEndButFollowersSeeItBeforeTheirLastWord) {
  last_words = std::string(8 << 20, 'x');
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
  last_words = std::string(3 << 20, 'x');
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
  last_words = std::string(3 << 20, 'x');
  submit(job_spec("cut", 2, 1));
  ASSERT_TRUE(world->loop.run_until([this] { return some_is_here(); }, minutes(1)));
  for (const auto& [guardian, node] : world->agents.all()) world->network.cut(guardian);
  expect_end("cut", "succeeded");
  expect_all_here();
  expect_nothing_left_on_hosts();
}

TEST_F(SentOutput, WhatDoesNotComeStaysAndTheJobSaysSo) {
  last_words = std::string(8 << 20, 'x');
  world->network.set_longest_delay(milliseconds(50));
  submit(job_spec("gone", 1, 1));
  const auto shown = follow("gone");
  ASSERT_TRUE(world->run_until_done("gone"));
  for (const auto& [guardian, node] : world->agents.all()) world->network.keep_apart(guardian, true);
  ASSERT_TRUE(world->loop.run_until([&] { return shown->over; }, minutes(30)));
  EXPECT_THAT(world->view("gone").troubles, testing::Contains(HasSubstr("of what ranks printed on")));
  bool stays = false;
  for (const SimHost& host : world->hosts) stays |= !host.output.files.empty();
  EXPECT_TRUE(stays);
  for (const auto& [guardian, node] : world->agents.all()) world->network.keep_apart(guardian, false);
}

TEST_F(SentOutput, ARemovedJobWaitsForNothing) {
  last_words = std::string(8 << 20, 'x');
  submit(job_spec("removed", 1, 1));
  ASSERT_TRUE(world->run_until_done("removed"));
  EXPECT_TRUE(world->controller().remove("removed").ok());
  world->loop.run_for(minutes(1));
  EXPECT_TRUE(world->agents.all().empty());
}

}  // namespace
}  // namespace muster::sim
