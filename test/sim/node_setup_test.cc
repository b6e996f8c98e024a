// SPDX-License-Identifier: Apache-2.0
// The setup of one node, command by command, on a host whose processes the test plays.
#include "core/agent/provision/node_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "test/sim/sim_loop.h"
#include "test/sim/sim_ports.h"

namespace muster::sim {
namespace {

using testing::HasSubstr;

constexpr Duration kSecond = std::chrono::seconds(1);

// Commands end when the test ends them.
class Host final : public ProcessHost {
 public:
  explicit Host(Loop& loop) : loop_(loop) {}

  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override {
    if (request.argv[0] == "missing") return Status(Code::not_found, "no program `missing`");
    begun.push_back(request);
    on_exit_ = std::move(on_exit);
    return begun.size();
  }
  void end(const ExitStatus& exit = {}) { on_exit_(exit); }
  void signal(ProcessHandle, int number, SignalReach) override { signals.push_back(number); }
  void sweep(const std::set<int64_t>&, std::function<void(uint32_t)> done) override {
    ++sweeps;
    loop_.post([done] { done(0); });
  }

  Result<ProcessHandle> adopt(const ProcessIdentity&, ExitHandler) override { return Status(Code::not_found, ""); }
  ProcessIdentity identity(ProcessHandle) const override { return {}; }
  void end_marked(const std::vector<std::string>&, std::function<void()>) override {}
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

  std::vector<SpawnRequest> begun;
  std::vector<int> signals;
  int sweeps = 0;

 private:
  Loop& loop_;
  ExitHandler on_exit_;
};

class OneNode : public testing::Test {
 protected:
  std::unique_ptr<NodeSetup> set_up(Host& host, const std::vector<std::vector<std::string>>& commands) {
    SetupTask task;
    task.commands = commands;
    task.identity = "the same for all";
    task.host = "a1";
    task.venv = ".venv";
    task.output_path = "/out";
    SetupStart start{{{"PATH", "/usr/bin"}, {"HOME", "/home/mia"}}, "/code", {}};
    setups.venvs.insert("/code/.venv");
    auto made = std::make_unique<NodeSetup>(NodeSetupPorts{loop, host, output, keeper, setups}, task, start, [] {});
    made->start();
    return made;
  }
  bool settles(const NodeSetup& setup) {
    const auto over = [&] { return setup.done() || setup.report().phase == SetupPhase::failed; };
    return loop.run_until(over, kSecond);
  }

  SimLoop loop;
  SimSetups setups;
  SimOutput output;
  SimKeeper keeper{output};
  Host host{loop};
};

TEST_F(OneNode, CommandsRunOneAfterTheOtherInTheEnvironment) {
  const auto setup = set_up(host, {{"make", "data"}, {"make"}});
  ASSERT_EQ(host.begun.size(), 1u);
  EXPECT_EQ(setup->report().doing, "`make data`");
  EXPECT_EQ(host.begun[0].workdir, "/code");
  EXPECT_THAT(host.begun[0].environment, testing::Contains("PATH=/code/.venv/bin:/usr/bin"));
  host.end();
  ASSERT_EQ(host.begun.size(), 2u);
  host.end();
  ASSERT_TRUE(settles(*setup));
  EXPECT_TRUE(setup->done());
  EXPECT_EQ(host.sweeps, 1) << "what the commands left behind is ended";
}

TEST_F(OneNode, NodeSetup_OutputFileCannotBeCreated_WaitsForRoom) {
  output.refusal = Status(Code::resource_exhausted, "the disk is full");
  const auto setup = set_up(host, {{"make"}});
  loop.run_for(std::chrono::minutes(1));
  EXPECT_TRUE(host.begun.empty());
  EXPECT_EQ(setup->report().doing, "waiting for its output file: the disk is full");
  EXPECT_EQ(setup->trouble(), "waits for its output files on a1: the disk is full. After 2 min the setup fails");
  output.refusal = Status();
  loop.run_for(kSecond);
  ASSERT_EQ(host.begun.size(), 1u);
  EXPECT_EQ(setup->trouble(), "");
  host.end();
  EXPECT_TRUE(settles(*setup) && setup->done());
}

TEST_F(OneNode, NodeSetup_OutputFileStaysImpossible_FailsWithTheReason) {
  output.refusal = Status(Code::resource_exhausted, "the disk is full");
  const auto setup = set_up(host, {{"make"}});
  loop.run_for(std::chrono::minutes(3));
  EXPECT_TRUE(host.begun.empty());
  EXPECT_EQ(setup->report().phase, SetupPhase::failed);
  EXPECT_THAT(setup->report().failure, HasSubstr("setup failed on a1: its output could not be stored"));
  EXPECT_EQ(setup->trouble(), "");
}

TEST_F(OneNode, ACommandThatCannotBeStartedLeavesNothingOfThoseBeforeIt) {
  const auto setup = set_up(host, {{"make"}, {"missing"}});
  host.end();
  EXPECT_NE(setup->report().phase, SetupPhase::failed) << "not before all is swept";
  ASSERT_TRUE(settles(*setup));
  EXPECT_EQ(host.sweeps, 1);
  EXPECT_THAT(setup->report().failure, HasSubstr("setup failed on a1: `missing` could not be started"));
}

TEST_F(OneNode, OfTwoThatNeedTheSameOneDoesItAndTheOtherWaits) {
  const auto first = set_up(host, {{"make"}});
  Host other(loop);
  const auto second = set_up(other, {{"make"}});
  loop.run_for(kSecond);
  EXPECT_EQ(second->report().doing, "waiting until the setup of another job or node there has ended");
  host.end();
  EXPECT_TRUE(settles(*first) && settles(*second));
  EXPECT_TRUE(first->done() && second->done());
  EXPECT_TRUE(other.begun.empty());
}

TEST_F(OneNode, WhoIsStoppedKillsAndIsNotDone) {
  const auto setup = set_up(host, {{"make"}, {"make", "more"}});
  setup->stop();
  EXPECT_EQ(host.signals, std::vector<int>{SIGKILL});
  EXPECT_FALSE(setup->quiet());
  host.end();
  EXPECT_TRUE(loop.run_until([&] { return setup->quiet(); }, kSecond));
  EXPECT_FALSE(setup->done());
  EXPECT_EQ(host.begun.size(), 1u);
}

}  // namespace
}  // namespace muster::sim
