// SPDX-License-Identifier: Apache-2.0
// Watches, signals and sweeps real processes.
#include "core/system/linux/process/linux_process_host.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using LinuxProcessHostTest = ProcessHostTest;

TEST_F(LinuxProcessHostTest, ASignalReachesTheWholeGroup) {
  const ProcessHandle process = start(shell("tail -f /dev/null & echo child $!; wait"));
  ASSERT_TRUE(wait_for_output("child"));
  const pid_t child = std::stoi(output().substr(6));
  host_.signal(process, SIGTERM, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(ends_[0].signal, SIGTERM);
  EXPECT_TRUE(wait_for([&] { return is_gone(child); }));
  host_.signal(process, SIGTERM, SignalReach::group);
  host_.signal(12345, SIGTERM, SignalReach::group);
}

TEST_F(LinuxProcessHostTest, Signal_ReachesOnlyTheProcess_LeavesItsGroupAlone) {
  const ProcessHandle process = start(shell("tail -f /dev/null & echo child $!; wait"));
  ASSERT_TRUE(wait_for_output("child"));
  const pid_t child = std::stoi(output().substr(6));
  host_.signal(process, SIGTERM, SignalReach::process);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(ends_[0].signal, SIGTERM);
  EXPECT_FALSE(is_gone(child));
  EXPECT_EQ(sweep(), 1u);
}

TEST_F(LinuxProcessHostTest, Signal_ToAShellWithATrap_ReachesItsProgramToo) {
  const ProcessHandle process = start(
      shell("trap 'echo trapped; exit 3' TERM; sh -c 'trap \"echo asked; exit\" TERM; echo ready; while :; do tail -f "
            "/dev/null & wait; done'; echo after"));
  ASSERT_TRUE(wait_for_output("ready"));
  host_.signal(process, SIGTERM, SignalReach::process);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(ends_[0].code, 3);
  EXPECT_EQ(output(), "ready\nasked\ntrapped\n");
  sweep();
}

TEST_F(LinuxProcessHostTest, IdentityIsOfTheProcess) {
  const ProcessHandle process = start(shell("echo $$; exec tail -f /dev/null"));
  ASSERT_TRUE(wait_for_output("\n"));
  const ProcessIdentity identity = host_.identity(process);
  EXPECT_EQ(identity.pid, std::stoi(output()));
  EXPECT_EQ(identity.start_ticks, start_ticks(static_cast<pid_t>(identity.pid)));
  host_.signal(process, SIGKILL, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_FALSE(ends_[0].oom);
  EXPECT_EQ(host_.identity(process), ProcessIdentity{});
}

TEST_F(LinuxProcessHostTest, SweepKillsDaemonsAndTheirChildrenButNoLiveProcess) {
  const ProcessHandle living = start(shell("echo living; exec tail -f /dev/null"));
  run(
      shell("setsid sh -c 'tail -f /dev/null & echo $! >> pids; echo $$ >> pids; wait' & "
            "while [ $(cat pids 2>/dev/null | wc -l) -lt 2 ]; do :; done"));
  std::istringstream pids(output("pids"));
  pid_t daemon = 0, child = 0;
  pids >> child >> daemon;
  ASSERT_FALSE(is_gone(daemon));
  EXPECT_GE(sweep(), 1u);
  EXPECT_TRUE(is_gone(daemon));
  EXPECT_TRUE(is_gone(child));
  EXPECT_EQ(ends_.size(), 1u);
  EXPECT_FALSE(is_gone(static_cast<pid_t>(host_.identity(living).pid)));
  host_.signal(living, SIGKILL, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 2; }));
}

TEST_F(LinuxProcessHostTest, SweepEndsAForkBomb) {
  start(shell("for i in 1 2 3 4 5 6 7 8; do (while :; do (setsid sh -c ': > bomb') & done) & done; wait"));
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(folder_ + "/bomb"); }));
  host_.signal(1, SIGKILL, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  sweep();
  EXPECT_TRUE(own_children().empty());
}

TEST_F(LinuxProcessHostTest, SweepOfNothingIsDoneInALaterTurn) {
  bool done = false;
  host_.sweep({}, [&](uint32_t killed) { done = killed == 0; });
  EXPECT_FALSE(done);
  EXPECT_TRUE(run_until(loop_, [&] { return done; }));
}

TEST_F(LinuxProcessHostTest, OrphansThatEndByThemselvesAreReaped) {
  run(shell("for i in 1 2 3 4 5 6 7 8 9; do setsid sh -c 'while [ ! -e go ]; do :; done' & done"));
  EXPECT_TRUE(wait_for([&] { return own_children().size() == 9; }));
  std::ofstream(folder_ + "/go") << "";
  EXPECT_TRUE(wait_for([&] { return own_children().empty(); }));
}

TEST_F(LinuxProcessHostTest, AdoptWatchesSomebodyElsesProcess) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // A grandchild; its parent reaps it.
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t other = fork();
    if (other == 0) {
      setpgid(0, 0);
      const pid_t self = getpid();
      [[maybe_unused]] const ssize_t put = write(ends[1], &self, sizeof self);
      while (true) pause();
    }
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(other), &info, WEXITED);
    _exit(info.si_status);
  }
  pid_t pid = 0;
  ASSERT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  bool ended = false;
  const auto adopted = host_.adopt({pid, start_ticks(pid).value()}, [&](const ExitStatus& status) {
    ended = true;
    EXPECT_TRUE(status.success());
  });
  ASSERT_TRUE(adopted.ok()) << adopted.status().message();
  host_.signal(*adopted, SIGTERM, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ended; }));
  EXPECT_EQ(host_.adopt({pid, 1}, nullptr).status().code(), Code::not_found);
  EXPECT_TRUE(wait_for([&] { return own_children().empty(); }));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LinuxProcessHostTest, ARecycledNumberIsNotAdopted) {
  EXPECT_EQ(host_.adopt({getpid(), 1}, nullptr).status().code(), Code::not_found);
}

// A process that starts one child that ends with it and one that does not, prints their pids, and is killed.
TEST_F(LinuxProcessHostTest, DiesWithUsIsTheDeathOfTheSpawningProcess) {
  const pid_t agent = fork();
  if (agent == 0) {
    AsioLoop loop;
    LinuxProcessHost host(loop, log_, Orphans::ignored, std::nullopt);
    SpawnRequest bound = shell("echo bound $$; exec tail -f /dev/null");
    SpawnRequest free = shell("echo free $$; exec tail -f /dev/null");
    free.dies_with_us = false;
    static_cast<void>(host.spawn(bound, [](const ExitStatus&) {}));
    static_cast<void>(host.spawn(free, [](const ExitStatus&) {}));
    loop.run();
  }
  ASSERT_TRUE(wait_for_output("bound"));
  ASSERT_TRUE(wait_for_output("free"));
  const std::string text = output();
  const pid_t bound = std::stoi(text.substr(text.find("bound ") + 6));
  const pid_t free = std::stoi(text.substr(text.find("free ") + 5));
  kill(agent, SIGKILL);
  EXPECT_TRUE(wait_for([&] { return is_gone(bound); }));
  EXPECT_FALSE(is_gone(free));
  EXPECT_GE(sweep(), 1u);
  EXPECT_TRUE(is_gone(free));
}

TEST_F(LinuxProcessHostTest, EndMarked_OfAProcessWhoseMainThreadHasEnded_KillsIt) {
  SpawnRequest marked = request({"python3", "-c", kWithoutMainThread});
  marked.environment.push_back("MUSTER_TEST_MARK=" + folder_);
  const ProcessHandle process = start(marked);
  const auto pid = static_cast<pid_t>(host_.identity(process).pid);
  ASSERT_TRUE(wait_for([&] { return lacks_main_thread(pid); }));
  EXPECT_NE(read_stat(pid)->state, 'Z');
  EXPECT_GT(read_stat(pid)->rss_pages, 100u);
  host_.end_marked({"MUSTER_TEST_MARK=" + folder_}, [] {});
  ASSERT_TRUE(run_until(loop_, [&] { return !ends_.empty(); }));
  EXPECT_EQ(ends_[0].signal, SIGKILL);
}

TEST_F(LinuxProcessHostTest, AWatchedMemoryLimitKillsTheProcessAndSaysWhatItUsed) {
  // A child of the rank, in its own session, holds the memory.
  SpawnRequest hungry =
      shell("setsid sh -c 'x=$(head -c 100000000 /dev/zero | tr \"\\0\" x); tail -f /dev/null' & wait");
  hungry.memory_limit_bytes = 64 << 20;
  const ExitStatus status = run(hungry);
  EXPECT_TRUE(status.oom);
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_NE(status.detail.find(" of its 64 MiB"), std::string::npos) << status.detail;
  EXPECT_GE(sweep(), 1u);
}

// For a machine whose kernel has killed for memory before, as most have. On others this test checks nothing.
TEST_F(LinuxProcessHostTest, AKillFromOutsideIsNoLackOfMemoryEvenAtOnce) {
  for (int round = 0; round < 2; ++round) {
    ends_.clear();
    const ProcessHandle process = start(request({"sleep", "1000"}));
    kill(static_cast<pid_t>(host_.identity(process).pid), SIGKILL);
    ASSERT_TRUE(run_until(loop_, [&] { return !ends_.empty(); }));
    EXPECT_EQ(ends_[0].signal, SIGKILL);
    EXPECT_FALSE(ends_[0].oom);
  }
}

TEST_F(LinuxProcessHostTest, ManyCyclesLeaveNoZombieAndNoDescriptor) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  run(request({"true"}));
  const auto before = open_files();
  for (int i = 0; i < 500; ++i) run(request({"true"}));
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(own_children().empty());
}

}  // namespace
}  // namespace muster
