#include "launcher/surroundings.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Surroundings with(std::map<std::string, std::string> environment) {
  Surroundings surroundings;
  surroundings.environment = std::move(environment);
  return surroundings;
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

}  // namespace
}  // namespace muster
