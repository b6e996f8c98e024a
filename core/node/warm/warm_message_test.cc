// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_message.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Fields = std::vector<std::string>;

TEST(WarmMessage, FieldsComeBackAsTheyWere) {
  std::string wire = WarmMessage("fork").number(-1).text("").list({"a b", "é\n"}).bytes();
  EXPECT_EQ(take_message(wire), (Fields{"fork", "-1", "", "2", "a b", "é\n"}));
  EXPECT_TRUE(wire.empty());
}

TEST(WarmMessage, ComesInPiecesAndInRows) {
  const std::string two = WarmMessage("one").bytes() + WarmMessage("two").bytes();
  std::string received;
  std::vector<Fields> taken;
  for (const char byte : two) {
    received += byte;
    if (auto fields = take_message(received)) taken.push_back(*fields);
  }
  EXPECT_EQ(taken, (std::vector<Fields>{{"one"}, {"two"}}));
}

TEST(WarmMessage, ALengthThatIsNeverFilledIsWaitedFor) {
  std::string received("\xff\xff\xff\xff", 4);
  EXPECT_FALSE(take_message(received));
  received = std::string("\0\0\0\0", 4);
  EXPECT_EQ(take_message(received), Fields{});
}

}  // namespace
}  // namespace muster
