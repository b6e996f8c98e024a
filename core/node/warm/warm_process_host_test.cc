// SPDX-License-Identifier: Apache-2.0
// Uses the system's Python, modules of its standard library and real processes.
#include "core/node/warm/warm_process_host.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class WarmProcessHostTest : public FolderTest {
 protected:
  WarmProcessHostTest() : executed_(loop_, log_, Orphans::adopted, std::nullopt) { open(folders()); }

  WarmFolders folders() const { return {folder_ + "/mine", folder_ + "/lessons"}; }

  // A long wait limit, so that ranks are forked on a loaded machine too.
  void open(const WarmFolders& folders, Duration wait_limit = std::chrono::minutes(1)) {
    host_.reset();
    imports_.reset();
    imports_ = std::make_unique<WarmImports>(loop_, executed_, log_, folders, wait_limit);
    host_ = std::make_unique<WarmProcessHost>(executed_, *imports_);
  }

  SpawnRequest rank(const std::string& code) {
    SpawnRequest request;
    request.argv = {"/usr/bin/python3", "-c", "import sys\nearly = 'decimal' in sys.modules\n" + code};
    request.environment = {"PATH=/usr/bin:/bin", "HOME=/", "RANK=0"};
    request.workdir = folder_;
    request.stdout_path = folder_ + "/out";
    request.stderr_path = folder_ + "/err";
    return request;
  }
  WarmTask modules(std::vector<std::string> names) { return {std::move(names), false, false, {"RANK"}}; }

  // Waits until prepare() is ready; returns the reason that it gave.
  std::string prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task) {
    std::optional<std::string> said;
    imports_->prepare(ranks, task, [&](const std::string& reason) { said = reason; });
    EXPECT_TRUE(run_until(loop_, [&] { return said.has_value(); }));
    return said.value_or("never ready");
  }
  ExitStatus run(const SpawnRequest& request) {
    std::optional<ExitStatus> exit;
    const auto started = host_->spawn(request, [&](const ExitStatus& status) { exit = status; });
    EXPECT_TRUE(started.ok()) << started.status().message();
    EXPECT_TRUE(run_until(loop_, [&] { return exit.has_value(); }));
    return exit.value_or(ExitStatus{});
  }

  AsioLoop loop_;
  NullLog log_;
  LinuxProcessHost executed_;
  std::unique_ptr<WarmImports> imports_;
  std::unique_ptr<WarmProcessHost> host_;
};

TEST_F(WarmProcessHostTest, ARankComesFromTheParentAndEndsAsOurChild) {
  const SpawnRequest request = rank("print(early)\nsys.exit(7)");
  EXPECT_EQ(prepare({request}, modules({"decimal"})), "");
  const ExitStatus exit = run(request);
  EXPECT_EQ(exit.kind, ExitStatus::Kind::exited);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(output(), "True\n") << output("err");
}

TEST_F(WarmProcessHostTest, Fork_StdinOfTheCommand_IsRead) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  SpawnRequest request = rank("print(early, sys.stdin.read())");
  request.input = std::make_shared<RankInput>(
      RankInput{{getpid(), start_ticks(getpid()).value_or(0), static_cast<uint32_t>(ends[0]), 0}, nullptr});
  prepare({request}, modules({"decimal"}));
  EXPECT_EQ(write(ends[1], "typed", 5), 5);
  close(ends[1]);
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "True typed\n") << output("err");
  close(ends[0]);
}

TEST_F(WarmProcessHostTest, Fork_WindowOfTheCommand_StreamsAreTheTerminal) {
  SpawnRequest request =
      rank("import os\nprint(early, [os.isatty(fd) for fd in range(3)], os.get_terminal_size().columns)");
  request.tty = true;
  request.window = CallerWindow{30, 100, true};
  prepare({request}, modules({"decimal"}));
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "True [True, True, True] 100\n") << output("err");
}

TEST_F(WarmProcessHostTest, ManyRanksComeFromOneParent) {
  const SpawnRequest request = rank("print(early)");
  prepare({request}, modules({"decimal"}));
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run(request).code, 0);
    expected += "True\n";
  }
  EXPECT_EQ(output(), expected);
}

TEST_F(WarmProcessHostTest, WithoutPreparationRanksAreExecuted) {
  EXPECT_EQ(run(rank("print(early)")).code, 0);
  EXPECT_EQ(output(), "False\n");
}

TEST_F(WarmProcessHostTest, WhatDoesNotFitIsExecuted) {
  const SpawnRequest request = rank("print(early)");
  prepare({request}, modules({"decimal"}));
  SpawnRequest other = request;
  other.environment.push_back("MINE=1");
  run(other);
  EXPECT_EQ(output(), "False\n");
}

TEST_F(WarmProcessHostTest, AParentThatWasKilledIsReplacedAndUntilThenRanksAreExecuted) {
  const SpawnRequest request = rank("print(early)");
  prepare({request}, modules({"decimal"}));
  for (const pid_t pid : own_children()) kill(pid, SIGKILL);
  ASSERT_TRUE(ask_until(loop_, [&] { return own_children().empty(); }));
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "False\n");
  EXPECT_EQ(prepare({request}, modules({"decimal"})), "");
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "False\nTrue\n");
}

TEST_F(WarmProcessHostTest, RanksWaitForAParentThatIsStoppedForSecondsOnly) {
  open(folders(), std::chrono::seconds(2));
  const SpawnRequest request = rank("print(early)");
  prepare({request}, modules({"decimal"}));
  for (const pid_t pid : own_children()) kill(pid, SIGSTOP);
  EXPECT_EQ(prepare({request}, modules({"decimal"})), "");
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "False\n");
}

TEST_F(WarmProcessHostTest, RestartWhileTheParentLearnsImports_RanksWaitAndAreForked) {
  std::filesystem::create_directories(folder_ + "/site-packages");
  std::ofstream(folder_ + "/site-packages/learned.py") << "import os\n"
                                                          "open('importers', 'a').write('x')\n"
                                                          "while not os.path.exists('go'):\n    os.sched_yield()\n";
  SpawnRequest request = rank("int('1')\nprint('learned' in sys.modules)\nimport learned");
  request.environment.push_back("PYTHONPATH=" + folder_ + "/site-packages");
  const WarmTask task{{}, true, true, {"RANK"}};
  EXPECT_EQ(prepare({request}, task), "");
  std::optional<ExitStatus> first;
  ASSERT_TRUE(host_->spawn(request, [&](const ExitStatus& status) { first = status; }).ok());
  ASSERT_TRUE(ask_until(loop_, [&] { return output("importers") == "xx"; })) << "the rank and the parent";
  std::optional<std::string> said;
  imports_->prepare({request}, task, [&](const std::string& reason) { said = reason; });
  std::ofstream(folder_ + "/go") << "";
  ASSERT_TRUE(run_until(loop_, [&] { return said && first; }));
  EXPECT_EQ(*said, "");
  EXPECT_EQ(run(request).code, 0);
  EXPECT_EQ(output(), "False\nTrue\n") << output("err");
}

TEST_F(WarmProcessHostTest, AFailedImportIsToldOnceAndRanksAreExecuted) {
  const SpawnRequest request = rank("print(early)");
  EXPECT_EQ(prepare({request}, modules({"no_such_module"})),
            "ranks are started without warm imports: importing no_such_module failed: ModuleNotFoundError: No module "
            "named 'no_such_module'");
  EXPECT_EQ(prepare({request}, modules({"no_such_module"})), "");
  EXPECT_EQ(run(request).code, 0);
}

TEST_F(WarmProcessHostTest, NothingOfItIsLeft) {
  prepare({rank("")}, modules({"decimal"}));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/mine/sitecustomize.py"));
  host_.reset();
  imports_.reset();
  ASSERT_TRUE(ask_until(loop_, [&] { return own_children().empty(); }));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/mine"));
}

TEST_F(WarmProcessHostTest, ANewerPreparationSilencesTheOlder) {
  bool older = false;
  imports_->prepare({rank("")}, modules({"decimal"}), [&](const std::string&) { older = true; });
  EXPECT_EQ(prepare({rank("print(early)")}, modules({"fractions"})), "");
  EXPECT_FALSE(older);
}

TEST_F(WarmProcessHostTest, AnAgentThatCannotWriteExecutes) {
  open({"/proc/nowhere", ""});
  const SpawnRequest request = rank("print(early)");
  EXPECT_EQ(prepare({request}, modules({"decimal"})),
            "ranks are started without warm imports: cannot write to /proc/nowhere");
  run(request);
  EXPECT_EQ(output(), "False\n");
}

}  // namespace
}  // namespace muster
