// SPDX-License-Identifier: Apache-2.0
#include "core/client/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

const std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"}};

TEST(RunProgram, GivesOutputAndExitCode) {
  const auto ended = run_program({.argv = {"sh", "-c", "echo one; exit 3"}, .environment = environment});
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->out, "one\n");
  EXPECT_EQ(ended->exit_code, 3);
}

TEST(RunProgram, ASlowOneIsKilledWithWhatItStarted) {
  const auto ended = run_program({.argv = {"sh", "-c", "sleep 60 & sleep 60"},
                                  .environment = environment,
                                  .patience = std::chrono::milliseconds(50)});
  EXPECT_EQ(ended.status().code(), Code::deadline_exceeded);
}

TEST(RunProgram, OneThatWasStartedRunsMeanwhile) {
  char folder[] = "/tmp/muster-run-program-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  ASSERT_EQ(mkfifo((std::string(folder) + "/fifo").c_str(), 0600), 0);
  const auto program = StartedProgram::start(
      {.argv = {"sh", "-c", "echo begun > fifo; echo one"}, .environment = environment, .workdir = folder});
  ASSERT_TRUE(program.ok());
  std::string word;
  std::ifstream(std::string(folder) + "/fifo") >> word;  // returns when the program has written to the fifo
  EXPECT_EQ(word, "begun");
  const auto ended = (*program)->result();
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->out, "one\n");
  std::filesystem::remove_all(folder);
}

TEST(RunProgram, OneThatNobodyAsksIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  {
    // The write end is the program's stdin, so the pipe stays open while the program runs.
    const auto program = StartedProgram::start({.argv = {"sleep", "60"}, .environment = environment, .input = ends[1]});
    ASSERT_TRUE(program.ok());
    close(ends[1]);
  }
  char nothing = 0;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0);
  close(ends[0]);
}

TEST(RunProgram, KeepsNoMoreThanItMay) {
  const auto ended =
      run_program({.argv = {"sh", "-c", "head -c 1000000 /dev/zero"}, .environment = environment, .most_output = 10});
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->out.size(), 10u);
}

TEST(RunProgram, AnUnknownProgram_IsNotFound) {
  EXPECT_EQ(run_program({.argv = {"no-such-program-at-all"}, .environment = environment}).status().code(),
            Code::not_found);
}

}  // namespace
}  // namespace muster
