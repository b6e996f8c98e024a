// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/item_queues.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

TEST(ItemQueues, PopOfTwoItems_GivesTheOlder) {
  ItemQueues queues;
  queues.push("q", "one");
  queues.push("q", "two");
  EXPECT_EQ(queues.length("q"), 2u);
  EXPECT_EQ(queues.pop("q"), "one");
  EXPECT_EQ(queues.pop("q"), "two");
  EXPECT_EQ(queues.pop("q"), std::nullopt);
}

TEST(ItemQueues, PopOfTheLastItem_RemovesTheQueueAndItsBytes) {
  ItemQueues queues;
  queues.push("q", "");
  EXPECT_TRUE(queues.contains("q"));
  EXPECT_EQ(queues.pop("q"), "");
  EXPECT_FALSE(queues.contains("q"));
  EXPECT_EQ(queues.bytes(), 0u);
}

TEST(ItemQueues, PushToAnyQueue_TakesWhatCostSaid) {
  ItemQueues queues;
  const size_t first = queues.cost("q", "item");
  queues.push("q", "item");
  EXPECT_EQ(queues.bytes(), first);
  const size_t second = queues.cost("q", "item");
  EXPECT_LT(second, first) << "the queue is there already";
  queues.push("q", "item");
  EXPECT_EQ(queues.bytes(), first + second);
}

}  // namespace
}  // namespace muster::tcpstore
