// SPDX-License-Identifier: Apache-2.0
// Runs the guardian with real agents and ranks.
#include "core/system/linux/process/guardian.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/linux/process/process_host_fixture.h"
#include "core/system/linux/process/wait_status.h"

namespace muster {
namespace {

// No event loop before the fork: a forked process shares its descriptors.
class GuardianTest : public FolderTest {
 protected:
  GuardianTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

  // Forks a guardian with this agent; its result is the guardian's pid.
  pid_t guard(const std::function<int(int)>& agent_main) {
    const pid_t guardian = fork();
    if (guardian == 0) _exit(run_guarded(agent_main));
    return guardian;
  }

  // Runs an agent with a rank that starts a daemon, which writes "<agent> <rank> <daemon> end". The agent ends when its guardian
  // ends, or on SIGTERM with exit code 15, and does not end the rank and the daemon.
  int run_agent(int guardian_gone_fd) {
    AsioLoop loop;
    NullLog log;
    LinuxProcessHost host(loop, log, Orphans::adopted, std::nullopt);
    int code = 3;
    const auto gone = loop.watch_readable(guardian_gone_fd, [&loop] { loop.stop(); });
    loop.on_signal(SIGTERM, [&] {
      code = 15;
      loop.stop();
    });
    SpawnRequest rank{.argv = {"sh", "-c", rank_script()}, .environment = {"PATH=/usr/bin:/bin"}, .workdir = folder_};
    rank.stdout_path = folder_ + "/out";
    rank.stderr_path = folder_ + "/err";
    static_cast<void>(host.spawn(rank, [](const ExitStatus&) {}));
    loop.run();
    std::ofstream(folder_ + "/agent") << "ended";
    return code;
  }
  std::string rank_script() {
    return "export A=" + std::to_string(getpid()) +
           " R=$$; setsid sh -c 'echo $A $R $$ end; exec tail -f /dev/null' & wait";
  }

  pid_t start() {
    const pid_t guardian = guard([this](int gone) { return run_agent(gone); });
    EXPECT_TRUE(wait_for([this] { return output().ends_with("end\n"); }));
    std::istringstream(output()) >> agent_ >> rank_ >> daemon_;
    EXPECT_FALSE(is_gone(daemon_));
    return guardian;
  }

  template <typename Done>
  bool wait_for(Done done) {
    AsioLoop loop;
    return ask_until(loop, done);
  }

  bool all_gone() { return is_gone(agent_) && is_gone(rank_) && is_gone(daemon_); }

  // The orphans that we inherited as the next subreaper.
  bool sweep_up() {
    OrphanSweep sweep;
    return wait_for([&] { return sweep.round({}); });
  }

  int exit_code_of(pid_t guardian) {
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(guardian), &info, WEXITED), 0);
    return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
  }

  pid_t agent_ = 0;
  pid_t rank_ = 0;
  pid_t daemon_ = 0;
};

TEST_F(GuardianTest, Agent_KilledWithUnreadOutputInATerminal_NothingIsLost) {
  KeptTerminals terminals;
  const pid_t guardian = fork();
  if (guardian == 0) {
    const auto agent = [&](int) {
      AsioLoop loop;  // it does not run, so the agent reads nothing
      NullLog log;
      LinuxProcessHost host(loop, log, Orphans::adopted, std::nullopt);
      host.keep_terminals(terminals);
      SpawnRequest rank{.argv = {"sh", "-c", "echo printed text; echo > printed; exec tail -f /dev/null"},
                        .environment = {"PATH=/usr/bin:/bin"},
                        .workdir = folder_};
      rank.stdout_path = folder_ + "/out";
      rank.tty = true;
      rank.window = CallerWindow{24, 80, false};
      static_cast<void>(host.spawn(rank, [](const ExitStatus&) {}));
      while (!std::filesystem::exists(folder_ + "/printed")) continue;
      return kill(getpid(), SIGKILL);
    };
    _exit(run_guarded(agent, &terminals));
  }
  EXPECT_EQ(exit_code_of(guardian), 128 + SIGKILL);
  EXPECT_EQ(output(), "printed text\n");
}

TEST_F(GuardianTest, PassesTheAgentsExitCode) {
  EXPECT_EQ(exit_code_of(guard([](int) { return 42; })), 42);
}

// As the first process of a container must.
TEST_F(GuardianTest, ReapsWhatOthersLeaveMeanwhile) {
  const auto agent = [this](int) {
    const pid_t parent = fork();
    if (parent == 0) {
      const pid_t orphan = fork();
      if (orphan > 0) std::ofstream(folder_ + "/orphan") << orphan;
      _exit(0);
    }
    waitpid(parent, nullptr, 0);
    const std::string orphan = "/proc/" + output("orphan");
    return wait_for([&] { return !std::filesystem::exists(orphan); }) ? 7 : 8;
  };
  EXPECT_EQ(exit_code_of(guard(agent)), 7);
}

TEST_F(GuardianTest, KillsTheSubtreeWhenTheAgentIsKilled) {
  const pid_t guardian = start();
  kill(agent_, SIGKILL);
  EXPECT_EQ(exit_code_of(guardian), 128 + SIGKILL);
  EXPECT_TRUE(all_gone());
}

TEST_F(GuardianTest, ForwardsSigtermAndSweepsWhatTheAgentLeft) {
  const pid_t guardian = start();
  kill(guardian, SIGTERM);
  EXPECT_EQ(exit_code_of(guardian), 15);
  EXPECT_EQ(output("agent"), "ended");
  EXPECT_TRUE(all_gone());
}

TEST_F(GuardianTest, Guardian_ThatIsStopped_IsContinuedByTheEndOfItsAgent) {
  const pid_t guardian = start();
  kill(guardian, SIGSTOP);
  kill(agent_, SIGTERM);
  EXPECT_EQ(exit_code_of(guardian), 15);
  EXPECT_TRUE(all_gone());
}

TEST_F(GuardianTest, TheAgentNoticesTheGuardiansDeath) {
  const pid_t guardian = start();
  kill(guardian, SIGKILL);
  EXPECT_EQ(exit_code_of(guardian), -SIGKILL);
  EXPECT_TRUE(wait_for([this] { return output("agent") == "ended"; }));
  EXPECT_TRUE(sweep_up());
  EXPECT_TRUE(all_gone());
}

TEST_F(GuardianTest, TheRankDiesWhenBothAreKilledAtOnce) {
  const pid_t guardian = start();
  kill(guardian, SIGKILL);
  kill(agent_, SIGKILL);
  EXPECT_EQ(exit_code_of(guardian), -SIGKILL);
  EXPECT_TRUE(wait_for([this] {
    static_cast<void>(reap_if_ended(rank_));
    return is_gone(rank_);
  }));
  EXPECT_TRUE(sweep_up());
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace muster
