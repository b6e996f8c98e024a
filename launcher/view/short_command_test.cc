// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/short_command.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(ShortCommand, ManyWords_TheFirstAreShownWithTheSizeOfTheRest) {
  EXPECT_EQ(short_command({"python", "train.py"}), "python train.py");
  EXPECT_EQ(short_command({"cat", "one", "two", "three"}, 8), "cat one … (2 more words, 10 B)");
  EXPECT_EQ(short_command({"a-long-program"}, 8), "… (1 more word, 15 B)");
  EXPECT_EQ(short_command({}), "");
}

}  // namespace
}  // namespace muster
