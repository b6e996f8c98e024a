// SPDX-License-Identifier: Apache-2.0
#include "core/job/names.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Names, FollowTheRuleOfDesign912) {
  for (const char* good : {"a", "fashion", "train-7f2", "a0", "llm-eval"}) EXPECT_TRUE(is_name(good)) << good;
  for (const char* bad : {"", "7a", "-a", "a-", "A", "a_b", "a.b", "ä"}) EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_TRUE(is_name("a" + std::string(39, '0')));
  EXPECT_FALSE(is_name("a" + std::string(40, '0')));
}

TEST(Names, NearestIsANameOrEmpty) {
  EXPECT_EQ(nearest_name("My_Job"), "my-job");
  EXPECT_EQ(nearest_name("__7up v2!"), "up-v2");
  EXPECT_EQ(nearest_name("42"), "");
  EXPECT_TRUE(is_name(nearest_name(std::string(100, 'X'))));
}

TEST(Names, VariablesAreWhatExecveTakes) {
  EXPECT_TRUE(is_variable("PATH"));
  EXPECT_TRUE(is_variable("strange.but-fine"));
  EXPECT_FALSE(is_variable(""));
  EXPECT_FALSE(is_variable("A=B"));
  EXPECT_FALSE(is_variable("A\nB"));
  EXPECT_FALSE(is_variable(std::string(257, 'A')));
}

TEST(Names, TextIsUtf8WithoutZero) {
  EXPECT_TRUE(is_text("größer 😀\n"));
  EXPECT_FALSE(is_text("\xff"));
  EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace muster
