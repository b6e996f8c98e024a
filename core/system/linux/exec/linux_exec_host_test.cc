// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/exec/linux_exec_host.h"

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

// An exec process, and what its viewer has received from it.
struct Seen {
  std::string out;
  std::string err;
  size_t taken = 0;
  std::set<ExecStream> closed;
  std::optional<ExitStatus> exit;
  std::unique_ptr<Exec> exec;
};

class ExecHostTest : public ProcessHostTest {
 protected:
  void begin(Seen& seen, const std::string& script, bool tty = false, size_t room = size_t{1} << 30) {
    ExecRequest request{shell(script), 0, 33, 111};
    request.spawn.tty = tty;
    auto exec = execs_.start(request, {.printed =
                                           [&](ExecStream stream, std::string_view bytes) {
                                             (stream == ExecStream::err ? seen.err : seen.out) += bytes;
                                           },
                                       .closed = [&](ExecStream stream) { seen.closed.insert(stream); },
                                       .taken = [&](size_t bytes) { seen.taken += bytes; },
                                       .ended = [&](const ExitStatus& exit) { seen.exit = exit; }});
    ASSERT_TRUE(exec.ok()) << exec.status().message();
    seen.exec = std::move(*exec);
    for (const ExecStream stream : {ExecStream::out, ExecStream::err}) seen.exec->allow(stream, room);
  }
  bool ended(const Seen& seen) {
    return run_until(loop_, [&] { return seen.exit.has_value(); });
  }

  LinuxExecHost execs_{loop_, host_};
};

TEST_F(ExecHostTest, ThreePipesCarryWhatIsReadAndPrinted) {
  Seen seen;
  begin(seen, "echo ready >&2; tr a-z A-Z; exit 7");
  seen.exec->write("hello\n");
  seen.exec->end_input();
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.out, "HELLO\n");
  EXPECT_EQ(seen.err, "ready\n");
  EXPECT_EQ(seen.taken, 6u);
  EXPECT_EQ(seen.exit->code, 7);
  EXPECT_EQ(seen.closed.size(), 2u);
}

TEST_F(ExecHostTest, NothingIsTakenFromAFloodThatNobodyHasRoomFor) {
  Seen seen;
  begin(seen, "head -c 1000000 /dev/zero", false, 1000);
  ASSERT_TRUE(run_until(loop_, [&] { return seen.out.size() == 1000; }));
  EXPECT_FALSE(seen.exit);
  seen.exec->allow(ExecStream::out, 1 << 20);
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.out.size(), 1000000u);
}

TEST_F(ExecHostTest, AllThatWasPrintedIsToldThoughItsChildHoldsThePipe) {
  Seen seen;
  begin(seen, "seq 1 3; tail -f /dev/null & echo $! > child");
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.out, "1\n2\n3\n");
  const pid_t child = std::stoi(output("child"));
  EXPECT_FALSE(is_gone(child));
  seen.exec.reset();
  EXPECT_TRUE(wait_for([&] { return is_gone(child); })) << "what it left in its session goes with the viewer";
}

TEST_F(ExecHostTest, ATerminalHasASizeAndIsResized) {
  Seen seen;
  begin(seen, "trap 'stty size; exit' WINCH; stty size; test -t 1 && echo tty; while :; do sleep 0.01; done", true);
  ASSERT_TRUE(run_until(loop_, [&] { return seen.out.find("tty") != std::string::npos; }));
  EXPECT_EQ(seen.out.substr(0, 6), "33 111");
  seen.exec->resize(44, 122);
  ASSERT_TRUE(ended(seen));
  EXPECT_NE(seen.out.find("44 122"), std::string::npos) << seen.out;
}

TEST_F(ExecHostTest, OfATerminalTooAllIsThereAtTheEnd) {
  Seen seen;
  begin(seen, "seq 1 20000", true);
  ASSERT_TRUE(ended(seen));
  EXPECT_TRUE(seen.out.ends_with("20000\r\n"));
}

TEST_F(ExecHostTest, WhoLeavesEndsItTheStubbornToo) {
  Seen seen;
  begin(seen, "trap '' HUP; echo $$; exec tail -f /dev/null");
  ASSERT_TRUE(run_until(loop_, [&] { return !seen.out.empty(); }));
  const pid_t pid = std::stoi(seen.out);
  seen.exec.reset();
  EXPECT_TRUE(wait_for([&] { return is_gone(pid); }));
}

TEST_F(ExecHostTest, ASweepEndsItAndItsEndIsTold) {
  Seen seen;
  begin(seen, "echo ready; exec tail -f /dev/null");
  ASSERT_TRUE(run_until(loop_, [&] { return !seen.out.empty(); }));
  sweep();
  ASSERT_TRUE(ended(seen));
  EXPECT_EQ(seen.exit->signal, SIGKILL);
}

TEST_F(ExecHostTest, WhatIsNoProgramIsSaid) {
  ExecRequest request{shell("true")};
  request.spawn.argv = {"no-such-program"};
  EXPECT_EQ(execs_.start(request, {}).status().code(), Code::not_found);
}

}  // namespace
}  // namespace muster
