// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/linux_leftover_host.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/job/service_program.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class LinuxLeftoverHostTest : public ProcessHostTest {
 protected:
  // Runs a rank that starts `script` in the background and ends when it has written "up" into the file.
  Leftover leave(const std::string& script, const std::string& mark = "MUSTER_RANK=3") {
    SpawnRequest rank = shell("(" + script + ") & until grep -q up up 2>/dev/null; do :; done");
    rank.own_session = true;
    rank.environment.push_back(mark);
    rank.environment.push_back("MUSTER_ATTEMPT=2");
    start(rank);
    rank_ = host_.identity(1).pid;
    EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
    const std::vector<Leftover> found = leftovers_.leftovers();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Leftover() : found[0];
  }

  LinuxLeftoverHost leftovers_{host_};
  int64_t rank_ = 0;
};

TEST_F(LinuxLeftoverHostTest, Leftovers_WhileARankRuns_AreNone) {
  start(shell("tail -f /dev/null & echo up; wait"));
  ASSERT_TRUE(wait_for_output("up"));
  EXPECT_TRUE(leftovers_.leftovers().empty());
  host_.signal(1, SIGKILL, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
}

TEST_F(LinuxLeftoverHostTest, Leftover_OfARank_HasItsSessionAndOrigin) {
  const Leftover left = leave("echo up > up; exec tail -f /dev/null");
  EXPECT_EQ(left.session, rank_);
  const LeftoverOrigin origin = leftovers_.origin(left);
  EXPECT_EQ(origin.command, "tail -f /dev/null");
  EXPECT_EQ(origin.rank, "3");
  EXPECT_EQ(origin.attempt, 2u);
  EXPECT_FALSE(origin.service);
  EXPECT_FALSE(leftovers_.holds_device_or_port(left));
  bool told = false;
  leftovers_.on_child_end([&] { told = true; });
  leftovers_.signal(left, SIGTERM);
  EXPECT_TRUE(run_until(loop_, [&] { return told && leftovers_.leftovers().empty(); }));
}

TEST_F(LinuxLeftoverHostTest, Leftover_OfAServiceProgram_IsMarked) {
  const Leftover left = leave("echo up > up; exec tail -f /dev/null", std::string(kServiceVariable) + "=1");
  EXPECT_TRUE(leftovers_.origin(left).service);
  sweep();
}

TEST_F(LinuxLeftoverHostTest, Leftover_WithASessionOfItsOwn_IsFoundAndKilledWithItsGroup) {
  const Leftover left = leave("exec setsid sh -c 'tail -f /dev/null & echo $! > child; echo up > up; wait'");
  EXPECT_EQ(left.session, left.identity.pid);
  const pid_t child = std::stoi(output("child"));
  leftovers_.signal(left, SIGKILL);
  EXPECT_TRUE(wait_for([&] { return leftovers_.leftovers().empty() && is_gone(child); }));
}

// Each process of the chain ends as soon as the next one runs. That one then becomes a child of this process, perhaps after the
// children were listed and before the ended one is looked at.
TEST_F(LinuxLeftoverHostTest, Leftovers_WhileOneEndsAndLeavesAnother_AreNeverNone) {
  constexpr int kChain = 500;
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
  if (fork() == 0) {
    for (int each = 0; each < kChain; ++each) {
      if (fork() > 0) _exit(0);
    }
    [[maybe_unused]] const ssize_t told = write(pipe_ends[1], "x", 1);
    while (true) pause();
  }
  uint32_t none = 0;
  pollfd last{pipe_ends[0], POLLIN, 0};
  for (uint32_t looks = 0; looks < 1'000'000 && poll(&last, 1, 0) < 1; ++looks) {
    if (leftovers_.leftovers().empty()) ++none;
  }
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(last.revents, POLLIN) << "the chain has not reached its end";
  for (const int end : pipe_ends) close(end);
  sweep();
}

TEST_F(LinuxLeftoverHostTest, Leftover_WhoseMainThreadHasEnded_IsFound) {
  const Leftover left = leave(std::string("exec python3 -c \"") + kWithoutMainThread + "\"");
  ASSERT_TRUE(wait_for([&] { return lacks_main_thread(static_cast<pid_t>(left.identity.pid)); }));
  ASSERT_EQ(leftovers_.leftovers().size(), 1u);
  const LeftoverOrigin origin = leftovers_.origin(left);
  EXPECT_EQ(origin.rank, "3");
  EXPECT_NE(origin.command.find("python3 -c"), std::string::npos) << origin.command;
  sweep();
  EXPECT_TRUE(leftovers_.leftovers().empty());
}

TEST_F(LinuxLeftoverHostTest, Signal_ToAnotherProcessWithThePid_IsNotSent) {
  Leftover left = leave("echo up > up; exec tail -f /dev/null");
  ++left.identity.start_ticks;
  leftovers_.signal(left, SIGKILL);
  EXPECT_FALSE(is_gone(static_cast<pid_t>(left.identity.pid)));
  sweep();
}

TEST_F(LinuxLeftoverHostTest, Port_OfADescendant_IsFound) {
  const Leftover left = leave(
      "exec setsid sh -c \"python3 -c 'import socket, signal; held = socket.create_server((\\\"127.0.0.1\\\", 0)); "
      "print(\\\"up\\\", file=open(\\\"up\\\", \\\"w\\\"), flush=True); signal.pause()'; true\"");
  EXPECT_TRUE(leftovers_.holds_device_or_port(left));
  sweep();
}

TEST_F(LinuxLeftoverHostTest, Sweep_WithASparedLeftover_KillsTheOthersOnly) {
  const Leftover left = leave("echo up > up; exec tail -f /dev/null");
  run(shell("setsid tail -f /dev/null &"));
  EXPECT_EQ(leftovers_.leftovers().size(), 2u);
  sweep({left.identity.pid});
  const std::vector<Leftover> found = leftovers_.leftovers();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].identity, left.identity);
  sweep();
  EXPECT_TRUE(leftovers_.leftovers().empty());
}

}  // namespace
}  // namespace muster
