// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/busy_poll.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

// The number of turns that sleep at once before one polls.
size_t sleeps(BusyPoll& busy_poll) {
  size_t turns = 0;
  while (!busy_poll.worth(1)) ++turns;
  return turns;
}

TEST(BusyPoll, LooksWhereACpuIsLeftOver) {
  BusyPoll busy_poll(4);
  EXPECT_TRUE(busy_poll.worth(1));
  EXPECT_TRUE(busy_poll.worth(3));
  EXPECT_FALSE(busy_poll.worth(4));
  EXPECT_FALSE(busy_poll.worth(0));
  EXPECT_FALSE(BusyPoll(1).worth(1));
}

TEST(BusyPoll, LooksOnWhileItFindsSomething) {
  BusyPoll busy_poll(2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(busy_poll.worth(1));
    busy_poll.polled(true);
  }
}

TEST(BusyPoll, WhatIsInVainIsDoneEverMoreSeldom) {
  BusyPoll busy_poll(2);
  EXPECT_EQ(sleeps(busy_poll), 0u);
  size_t last = 0;
  for (int i = 0; i < 20; ++i) {
    busy_poll.polled(false);
    last = sleeps(busy_poll);
    EXPECT_EQ(last, (size_t{1} << std::min(i + 1, 10)) - 1);
  }
  EXPECT_EQ(last, 1023u);
  busy_poll.polled(true);
  EXPECT_EQ(sleeps(busy_poll), 0u);
}

}  // namespace
}  // namespace muster::tcpstore
