#include "core/adapter/tcpstore/lookout.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

// Turns that sleep at once, before one looks.
size_t sleeps(Lookout& lookout) {
  size_t turns = 0;
  while (lookout.look(1) == Look::none) ++turns;
  return turns;
}

TEST(Lookout, LooksOnWhereACpuIsLeftOver) {
  Lookout lookout(4);
  EXPECT_EQ(lookout.look(0), Look::none);
  EXPECT_EQ(lookout.look(1), Look::on);
  EXPECT_EQ(lookout.look(3), Look::on);
}

TEST(Lookout, GivesWayWhereClientsTakeEveryCpu) {
  Lookout lookout(4);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lookout.look(4), Look::after_giving_way);
  EXPECT_EQ(Lookout(1).look(1), Look::after_giving_way);
}

TEST(Lookout, LooksOnWhileItFindsSomething) {
  Lookout lookout(2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lookout.look(1), Look::on);
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
