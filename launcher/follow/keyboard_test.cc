// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/keyboard.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(LeaveKeys, ThePairLeaves_AlsoWhenTypedInTwoReads) {
  LeaveKeys keys;
  bool left = false;
  EXPECT_EQ(keys.pass("ab\x10", left), "ab");
  EXPECT_FALSE(left);
  EXPECT_EQ(keys.pass("\x11zz", left), "");
  EXPECT_TRUE(left);
}

TEST(LeaveKeys, AloneItIsTheProgrammes) {
  LeaveKeys keys;
  bool left = false;
  EXPECT_EQ(keys.pass("\x10", left), "");
  EXPECT_EQ(keys.pass("x", left), "\x10x");
  EXPECT_EQ(keys.pass("\x10\x10", left), "\x10");
  EXPECT_FALSE(left);
}

}  // namespace
}  // namespace muster
