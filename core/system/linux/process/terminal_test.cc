// SPDX-License-Identifier: Apache-2.0
// Processes with a pseudo-terminal.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/system/linux/proc_files.h"
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

// A pipe whose reading end is descriptor `reads` of this process.
class StdinTest : public TerminalTest {
 protected:
  StdinTest() { EXPECT_EQ(pipe2(ends_of_pipe_, O_CLOEXEC), 0); }
  ~StdinTest() override {
    for (const int end : ends_of_pipe_) close(end);
  }

  void type(const std::string& text) {
    EXPECT_EQ(write(ends_of_pipe_[1], text.data(), text.size()), ssize_t(text.size()));
  }
  void end_input() { ends_of_pipe_[1] = (close(ends_of_pipe_[1]), -1); }

  std::shared_ptr<RankInput> input(int descriptor, std::optional<uint32_t> rank = 0) {
    const CallerInput source{getpid(), start_ticks(getpid()).value_or(0), static_cast<uint32_t>(descriptor), rank};
    return std::make_shared<RankInput>(RankInput{source, nullptr});
  }
  SpawnRequest reading(const std::string& script, std::shared_ptr<RankInput> input) {
    SpawnRequest request = shell(script);
    request.input = std::move(input);
    return request;
  }

  int ends_of_pipe_[2] = {-1, -1};
};

TEST_F(StdinTest, Pipe_WriterHasEnded_AllIsReadToTheEnd) {
  type("one\ntwo\n");
  end_input();
  EXPECT_TRUE(run(reading("cat; test -t 1 || echo plain", input(ends_of_pipe_[0]))).success());
  EXPECT_EQ(output(), "one\ntwo\nplain\n");
}

TEST_F(StdinTest, Pipe_SecondStart_ContinuesEvenIfTheCommandHasClosedIt) {
  type("one\ntwo\n");
  const auto source = input(ends_of_pipe_[0]);
  EXPECT_TRUE(run(reading("read word; echo $word", source)).success());
  ends_of_pipe_[0] = (close(ends_of_pipe_[0]), -1);
  EXPECT_TRUE(run(reading("read word; echo $word", source)).success());
  EXPECT_EQ(output(), "one\ntwo\n");
}

TEST_F(StdinTest, Pipe_LastOwnerReleasesIt_IsClosed) {
  signal(SIGPIPE, SIG_IGN);
  auto source = input(ends_of_pipe_[0]);
  EXPECT_TRUE(run(reading("true", source)).success());
  ends_of_pipe_[0] = (close(ends_of_pipe_[0]), -1);
  EXPECT_EQ(write(ends_of_pipe_[1], "x", 1), 1);
  source.reset();
  EXPECT_EQ(write(ends_of_pipe_[1], "x", 1), -1) << "`yes |` must end with the job";
  EXPECT_EQ(errno, EPIPE);
}

TEST_F(StdinTest, File_EveryRank_ReadsFromWhereTheCommandStands) {
  std::ofstream(folder_ + "/in") << "skipped\nread\n";
  const UniqueFd file(open((folder_ + "/in").c_str(), O_RDONLY | O_CLOEXEC));
  lseek(file.get(), 8, SEEK_SET);
  const auto source = input(file.get(), std::nullopt);
  EXPECT_TRUE(run(reading("cat", source)).success());
  EXPECT_TRUE(run(reading("cat", source)).success());
  EXPECT_EQ(output(), "read\nread\n");
}

TEST_F(StdinTest, Command_HasEnded_TheStartFailsAndSaysWhy) {
  const auto source = input(ends_of_pipe_[0]);
  source->source.start_ticks += 1;
  const auto started = host_.spawn(reading("cat", source), [](const ExitStatus&) {});
  EXPECT_EQ(started.status().code(), Code::not_found);
  EXPECT_NE(started.status().message().find("has ended. Start"), std::string::npos) << started.status().message();
}

TEST_F(StdinTest, Window_OutputOfTheOnlyRank_IsATerminalThatChangesNoByte) {
  SpawnRequest request =
      reading("test -t 1 && test -t 2 && test ! -t 0 && stty size < /dev/fd/1; cat", input(ends_of_pipe_[0]));
  request.tty = true;
  request.window = CallerWindow{30, 100, false};
  type("typed\n");
  end_input();
  EXPECT_TRUE(run(request).success());
  EXPECT_EQ(output(), "30 100\ntyped\n");
}

TEST_F(StdinTest, Window_RankEndsWithChildren_TheyGetNoHangUp) {
  SpawnRequest request = on_terminal(
      "(trap 'echo hung up > hup' HUP; echo in > in; until test -e go; do :; done; echo out > out2) & until test -e "
      "in; do :; done");
  request.window = CallerWindow{30, 100, false};
  EXPECT_TRUE(run(request).success());
  std::ofstream(folder_ + "/go") << "";
  EXPECT_TRUE(wait_for_output("out", "out2"));
  EXPECT_EQ(output("hup"), "") << "it is not their controlling terminal";
}

TEST_F(StdinTest, Window_WithKeys_TypedBytesReachTheProcess) {
  SpawnRequest request = on_terminal("test -t 0; echo ready; read word; echo \"got $word\"");
  request.window = CallerWindow{30, 100, true};
  const ProcessHandle process = start(request);
  ASSERT_TRUE(wait_for_output("ready"));
  host_.write_tty(process, "hello\r");
  EXPECT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(output(), "ready\nhello\ngot hello\n");
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
