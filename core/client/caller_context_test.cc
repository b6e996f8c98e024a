// SPDX-License-Identifier: Apache-2.0
#include "core/client/caller_context.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

CallerContext with(std::map<std::string, std::string> environment) {
  CallerContext caller;
  caller.environment = std::move(environment);
  return caller;
}

TEST(WantsColour, OnTerminalsUnlessSomebodyObjects) {
  EXPECT_TRUE(wants_colour(with({}), true));
  EXPECT_FALSE(wants_colour(with({}), false));
  EXPECT_FALSE(wants_colour(with({{"NO_COLOR", "1"}}), true));
  EXPECT_TRUE(wants_colour(with({{"NO_COLOR", ""}}), true));
  EXPECT_FALSE(wants_colour(with({{"CLICOLOR", "0"}}), true));
  EXPECT_FALSE(wants_colour(with({{"TERM", "dumb"}}), true));
}

TEST(WantsColour, CanBeForced) {
  EXPECT_TRUE(wants_colour(with({{"CLICOLOR_FORCE", "1"}}), false));
  EXPECT_TRUE(wants_colour(with({{"FORCE_TTY", "1"}}), false));
  EXPECT_FALSE(wants_colour(with({{"CLICOLOR_FORCE", "0"}}), false));
}

TEST(NameOfProgram, IsKeptWhereAnotherFileHasTaken) {
  const std::string file = testing::TempDir() + "name-of-program";
  EXPECT_EQ(name_of_program(file + " (deleted)"), file + " (deleted)");
  std::ofstream(file) << "newer build";
  EXPECT_EQ(name_of_program(file + " (deleted)"), file);
  EXPECT_EQ(name_of_program(file), file);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace muster
