// SPDX-License-Identifier: Apache-2.0
// Processes with a pseudo-terminal.
#include <signal.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class TerminalTest : public ProcessHostTest {
 protected:
  SpawnRequest on_terminal(const std::string& script) {
    SpawnRequest request = shell(script);
    request.tty = true;
    return request;
  }
};

TEST_F(TerminalTest, IsTheControllingTerminalOfItsOwnSession) {
  EXPECT_TRUE(run(on_terminal("test -t 0 && test -t 1 && test -t 2 && echo yes > /dev/tty")).success());
  EXPECT_EQ(output(), "yes\r\n");
}

TEST_F(TerminalTest, AllOutputIsInTheFileWhenTheEndIsTold) {
  EXPECT_TRUE(run(on_terminal("seq 1 20000")).success());
  const std::string text = output();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20000);
  EXPECT_TRUE(text.ends_with("20000\r\n"));
}

TEST_F(TerminalTest, TypedBytesReachTheProcessAndAreEchoed) {
  const ProcessHandle process = start(on_terminal("echo ready; read word; echo \"got $word\""));
  ASSERT_TRUE(wait_for_output("ready"));
  host_.write_tty(process, "hello\n");
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(output(), "ready\r\nhello\r\ngot hello\r\n");
}

TEST_F(TerminalTest, ControlCInterruptsTheForeground) {
  const ProcessHandle process = start(on_terminal("echo ready; exec tail -f /dev/null"));
  ASSERT_TRUE(wait_for_output("ready"));
  host_.write_tty(process, "\x03");
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(ends_[0].signal, SIGINT);
}

TEST_F(TerminalTest, TheWindowsSizeIsTold) {
  const ProcessHandle process =
      start(on_terminal("stty size; echo ready; while [ \"$(stty size)\" = '24 80' ]; do :; done; stty size"));
  ASSERT_TRUE(wait_for_output("ready"));
  host_.resize_tty(process, 50, 132);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(output(), "24 80\r\nready\r\n50 132\r\n");
}

TEST_F(TerminalTest, AProcessThatDoesNotReadHoldsNobodyUp) {
  const ProcessHandle process =
      start(on_terminal("stty raw -echo; echo ready; while [ ! -e go ]; do :; done; head -c 60000 | wc -c"));
  ASSERT_TRUE(wait_for_output("ready"));
  host_.write_tty(process, std::string(60000, 'x'));
  std::ofstream(folder_ + "/go") << "";
  EXPECT_TRUE(wait_for_output("60000"));
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
}

TEST_F(TerminalTest, OthersIgnoreTyping) {
  const ProcessHandle process = start(shell("cat"));
  host_.write_tty(process, "hello\n");
  host_.resize_tty(process, 1, 1);
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(output(), "");
}

}  // namespace
}  // namespace muster
