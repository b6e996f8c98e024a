#include "core/node/torch_store/lookout.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

// Turns that sleep at once, before one looks.
size_t sleeps(Lookout& lookout) {
  size_t turns = 0;
  while (!lookout.worth(1)) ++turns;
  return turns;
}

TEST(Lookout, LooksWhereACpuIsLeftOver) {
  Lookout lookout(4);
  EXPECT_TRUE(lookout.worth(1));
  EXPECT_TRUE(lookout.worth(3));
  EXPECT_FALSE(lookout.worth(4));
  EXPECT_FALSE(lookout.worth(0));
  EXPECT_FALSE(Lookout(1).worth(1));
}

TEST(Lookout, LooksOnWhileItFindsSomething) {
  Lookout lookout(2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(lookout.worth(1));
    lookout.looked(true);
  }
}

TEST(Lookout, WhatIsInVainIsDoneEverMoreSeldom) {
  Lookout lookout(2);
  EXPECT_EQ(sleeps(lookout), 0u);
  size_t last = 0;
  for (int i = 0; i < 20; ++i) {
    lookout.looked(false);
    last = sleeps(lookout);
    EXPECT_EQ(last, (size_t{1} << std::min(i + 1, 10)) - 1);
  }
  EXPECT_EQ(last, 1023u);
  lookout.looked(true);
  EXPECT_EQ(sleeps(lookout), 0u);
}

}  // namespace
}  // namespace muster::tcpstore
