// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;

struct StillLoop : Loop {
  TimePoint now() const override { return TimePoint(Duration(1)); }
  void post(std::function<void()>) override {}
  TimerId at(TimePoint, std::function<void()>) override { return 1; }
  void cancel(TimerId) override {}
};

struct NotedHost : ProcessHost {
  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler) override {
    spawned.push_back(request);
    return ProcessHandle(spawned.size());
  }
  Result<ProcessHandle> adopt(const ProcessIdentity&, ExitHandler) override { return Status(Code::not_found, ""); }
  ProcessIdentity identity(ProcessHandle process) const override { return {static_cast<int64_t>(process), 0}; }
  void signal(ProcessHandle, int, SignalReach) override {}
  void sweep(const std::set<int64_t>&, std::function<void(uint32_t)>) override {}
  void end_marked(const std::vector<std::string>&, std::function<void()>) override {}
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

  std::vector<SpawnRequest> spawned;
};

struct NoLeftovers : LeftoverHost {
  std::vector<Leftover> leftovers() override { return {}; }
  LeftoverOrigin origin(const Leftover&) override { return {}; }
  bool sees_processes() override { return true; }
  bool reads_from_another(const Leftover&, const std::vector<Leftover>&) override { return false; }
  bool holds_device_or_port(const Leftover&) override { return false; }
  void signal(const Leftover&, int) override {}
  void on_child_end(std::function<void()>) override {}
};

struct NoFiles : OutputFiles {
  Result<std::string> path(const JobId&, Attempt, const std::string&, OutputStream) override { return std::string(); }
  Result<std::string> read(const std::string&, uint64_t, size_t) override { return std::string(); }
  uint64_t size(const std::string&) const override { return 0; }
  uint64_t first_kept(const std::string&) const override { return 0; }
  std::unique_ptr<OutputWatch> watch(const JobId&, Attempt, OutputChanged) override { return nullptr; }
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>&, OutputChanged) override { return nullptr; }
};

TEST(RankSet, AProcessBesideARank_IsNotTheRankOfAnMpiWorld) {
  StillLoop loop;
  NotedHost host;
  NoFiles files;
  NoLeftovers none;
  Leftovers leftovers(loop, none, {[] {}, [](const std::string&) {}, [] {}});
  RankTask task;
  task.index = 7;
  task.argv = {"train"};
  task.environment = {{"A", "1"}};
  RankSet ranks({loop, host, files, leftovers, [](const std::string&) {}}, {}, {task}, [] {});
  ranks.give(7, {{"PMI_FD", "3"}, {"PMIX_RANK", "0"}, {"STORE", "b"}}, 40);
  ranks.start("");
  ASSERT_EQ(host.spawned.size(), 1u);
  EXPECT_EQ(host.spawned[0].passed, 40);
  EXPECT_THAT(host.spawned[0].environment, ElementsAre("A=1", "PMIX_RANK=0", "PMI_FD=3", "STORE=b"));

  const auto beside = ranks.beside(7);
  ASSERT_TRUE(beside.ok()) << beside.status().message();
  EXPECT_EQ(beside->spawn.passed, -1);
  EXPECT_THAT(beside->spawn.environment, ElementsAre("A=1", "STORE=b"));
}

}  // namespace
}  // namespace muster
