#include "launcher/run_program.h"

#include <gtest/gtest.h>

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
