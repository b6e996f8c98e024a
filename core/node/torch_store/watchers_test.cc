// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/watchers.h"

#include <gmock/gmock.h>

#include "core/node/torch_store/key_store.h"

namespace muster::tcpstore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Watchers, AKeyOfTwoClients_GivesThemInTheirOrder) {
  Watchers watchers;
  StoreClient one, two;
  watchers.add(one, "key");
  watchers.add(two, "key");
  EXPECT_THAT(watchers.of("key"), ElementsAre(&one, &two));
  EXPECT_THAT(watchers.of("other"), IsEmpty());
  watchers.remove(one);
  EXPECT_THAT(watchers.of("key"), ElementsAre(&two));
}

TEST(Watchers, RemovalOfAClientThatWatchesAKeyTwice_LeavesNothing) {
  Watchers watchers;
  StoreClient client;
  watchers.add(client, "key");
  watchers.add(client, "key");
  EXPECT_EQ(watchers.bytes(), 2 * Watchers::cost("key"));
  EXPECT_THAT(watchers.of("key"), ElementsAre(&client, &client));
  watchers.remove(client);
  EXPECT_THAT(watchers.of("key"), IsEmpty());
  EXPECT_EQ(watchers.bytes(), 0u);
}

}  // namespace
}  // namespace muster::tcpstore
