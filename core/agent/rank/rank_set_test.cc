// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "core/job/mpirun/rank_only.h"

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
  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler ended) override {
    spawned.push_back(request);
    exit = std::move(ended);
    return ProcessHandle(spawned.size());
  }
  Result<ProcessHandle> adopt(const ProcessIdentity&, ExitHandler) override { return Status(Code::not_found, ""); }
  ProcessIdentity identity(ProcessHandle process) const override { return {static_cast<int64_t>(process), 0}; }
  void signal(ProcessHandle process, int number, SignalReach) override { signals.push_back({process, number}); }
  void sweep(const std::set<int64_t>&, std::function<void(uint32_t)>) override {}
  void end_marked(const std::vector<std::string>&, std::function<void()>) override {}
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

  std::vector<SpawnRequest> spawned;
  std::vector<std::pair<ProcessHandle, int>> signals;
  ExitHandler exit;
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
  Result<std::string> read(const std::string& path, uint64_t, size_t) override { return path == "err" ? err : ""; }
  uint64_t size(const std::string&) const override { return 0; }
  uint64_t first_kept(const std::string&) const override { return 0; }
  std::unique_ptr<OutputWatch> watch(const JobId&, Attempt, OutputChanged) override { return nullptr; }
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>&, OutputChanged) override { return nullptr; }

  std::string err;
};

class RankSetTest : public testing::Test {
 protected:
  RankSetPorts ports() {
    return {loop, host, files, leftovers, [](const std::string&) {}};
  }

  StillLoop loop;
  NotedHost host;
  NoFiles files;
  NoLeftovers none;
  Leftovers leftovers{loop, none, {[] {}, [](const std::string&) {}, [] {}}};
};

std::string only(const std::set<std::string>& names, const std::map<std::string, std::string>& environment) {
  return std::string(kRankOnly) + "=" + rank_only_text(names, environment);
}

TEST_F(RankSetTest, AProcessBesideARank_IsNotTheRankOfAnMpiWorld) {
  RankTask task;
  task.index = 7;
  task.argv = {"train"};
  task.environment = {{"A", "1"}};
  RankSet ranks(ports(), {}, {task}, [] {});
  ranks.give(7, {{"PMI_FD", "3"}, {"PMIX_RANK", "0"}, {"STORE", "b"}}, 40);
  ranks.start("");
  ASSERT_EQ(host.spawned.size(), 1u);
  EXPECT_EQ(host.spawned[0].passed, 40);
  EXPECT_THAT(host.spawned[0].environment,
              ElementsAre("A=1", only({"STORE"}, {{"STORE", "b"}}), "PMIX_RANK=0", "PMI_FD=3", "STORE=b"));

  const auto beside = ranks.beside(7);
  ASSERT_TRUE(beside.ok()) << beside.status().message();
  EXPECT_EQ(beside->spawn.passed, -1);
  EXPECT_THAT(beside->spawn.environment, ElementsAre("A=1", only({"STORE"}, {{"STORE", "b"}}), "STORE=b"));
}

// A gift does not change what the task sets.
TEST_F(RankSetTest, VariablesOfMusterOnly_AreNamedForLaunchersInTheRank) {
  RankTask task;
  task.index = 7;
  task.argv = {"train"};
  task.environment = {{"A", "1"}, {"OMP_NUM_THREADS", "1"}};
  task.rank_only = {"OMP_NUM_THREADS", "DROPPED"};
  RankSet ranks(ports(), {}, {task}, [] {});
  ranks.give(7, {{"A", "2"}, {"HOSTS", "/f"}});
  ranks.start("");
  const std::string named = only({"HOSTS", "OMP_NUM_THREADS"}, {{"HOSTS", "/f"}, {"OMP_NUM_THREADS", "1"}});
  EXPECT_THAT(host.spawned.at(0).environment, ElementsAre("A=1", "HOSTS=/f", named, "OMP_NUM_THREADS=1"));
}

RankTask task_with(uint32_t index, std::vector<uint32_t> cpus, const std::string& gpu, uint64_t memory) {
  RankTask task;
  task.index = index;
  task.argv = {"train"};
  task.cpus = std::move(cpus);
  task.environment = {{"CUDA_VISIBLE_DEVICES", gpu}};
  task.memory_limit_bytes = memory;
  return task;
}

TEST_F(RankSetTest, ALauncherBesideARank_HasTheDevicesOfAllRanksOfTheNode) {
  RankSet ranks(ports(), {}, {task_with(4, {2, 3}, "GPU-b", 100), task_with(5, {0, 1}, "GPU-a", 50)}, [] {});
  ranks.start("");
  const auto launcher = ranks.beside(4, true);
  ASSERT_TRUE(launcher.ok()) << launcher.status().message();
  EXPECT_THAT(launcher->spawn.cpus, ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_THAT(launcher->spawn.environment, ElementsAre("CUDA_VISIBLE_DEVICES=GPU-b,GPU-a"));
  EXPECT_EQ(launcher->spawn.memory_limit_bytes, 150u);
  EXPECT_NE(launcher->spawn.cgroup_name, host.spawned[0].cgroup_name);
  EXPECT_EQ(launcher->rank, 0u);
  const auto beside = ranks.beside(4);
  EXPECT_THAT(beside->spawn.cpus, ElementsAre(2u, 3u));
  EXPECT_NE(beside->rank, 0u);
}

// The report of the only rank of a drained node, which exits in this way.
ExitStatus exit_when_drained(RankSet& ranks, NotedHost& host, const RankSet::Drain& drain, const ExitStatus& exit) {
  ranks.start("");
  ranks.drain(drain);
  host.exit(exit);
  return ranks.report().at(0).exit;
}

TEST_F(RankSetTest, RanksOfAFailedService_TellThatItFailed) {
  const RankSet::Drain drain{std::chrono::seconds(1), "MPI on node-a: no memory", true};
  ExitStatus killed;
  killed.kind = ExitStatus::Kind::signalled;
  killed.signal = SIGTERM;
  for (const ExitStatus& exit : {killed, ExitStatus()}) {
    RankSet ranks(ports(), {}, {task_with(4, {}, "0", 0)}, [] {});
    const ExitStatus told = exit_when_drained(ranks, host, drain, exit);
    EXPECT_TRUE(told.service_failed && told.asked);
    EXPECT_EQ(describe_exit(told), "was stopped because of MPI on node-a: no memory");
  }
}

TEST_F(RankSetTest, RanksOfADrainedNode_TellOfNoService) {
  RankSet ranks(ports(), {}, {task_with(4, {}, "0", 0)}, [] {});
  const ExitStatus told = exit_when_drained(ranks, host, {std::chrono::seconds(1), "its node was drained"}, {});
  EXPECT_FALSE(told.service_failed);
  EXPECT_EQ(describe_exit(told), "was killed by SIGTERM: its node was drained");
}

TEST_F(RankSetTest, OnlyATraceback_IsAPrintedException) {
  RankTask task = task_with(4, {}, "0", 0);
  task.stderr_path = "err";
  RankSet ranks(ports(), {}, {task}, [] {});
  files.err = "step 1\nstep 2\n";
  EXPECT_EQ(ranks.printed_exception(4), "");
  files.err += "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\nValueError: bad\n";
  EXPECT_EQ(ranks.printed_exception(4), "ValueError: bad at train.py:9");
  EXPECT_EQ(ranks.printed_exception(5), "") << "not on this node";
}

TEST_F(RankSetTest, ALauncherBesideRanksWithoutLimits_HasNone) {
  RankSet ranks(ports(), {}, {task_with(4, {}, "0,1", 100), task_with(5, {}, "0,1", 0)}, [] {});
  ranks.start("");
  const auto launcher = ranks.beside(4, true);
  EXPECT_EQ(launcher->spawn.memory_limit_bytes, 0u);
  EXPECT_THAT(launcher->spawn.environment, ElementsAre("CUDA_VISIBLE_DEVICES=0,1"));
  EXPECT_TRUE(launcher->spawn.cpus.empty());
}

TEST_F(RankSetTest, ARankThatAskedForItsEnd_HasTheExitOfItsFault) {
  RankTask task;
  task.index = 7;
  task.argv = {"train"};
  const auto fault = [](uint32_t, const ExitStatus&) { return RankFault{"called MPI_Abort(5)", 5, true}; };
  RankSet ranks({loop, host, files, leftovers, [](const std::string&) {}, fault}, {}, {task}, [] {});
  ranks.kill(7);
  EXPECT_TRUE(host.signals.empty()) << "it has not started";
  ranks.start("");
  ranks.kill(7);
  ASSERT_EQ(host.signals, (std::vector<std::pair<ProcessHandle, int>>{{1, SIGKILL}}));
  ExitStatus killed;
  killed.kind = ExitStatus::Kind::signalled;
  killed.signal = SIGKILL;
  host.exit(killed);
  const RankReport report = ranks.report().at(0);
  EXPECT_EQ(report.exit.code, 5);
  EXPECT_EQ(report.exit.detail, "called MPI_Abort(5)");
}

}  // namespace
}  // namespace muster
