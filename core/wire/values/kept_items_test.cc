// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/kept_items.h"

#include <gtest/gtest.h>

#include "core/wire/values/sample_values.h"

namespace muster {
namespace {

TEST(KeptItems, ComeBackAsTheyWere) {
  std::vector<FollowItem> items;
  for (uint64_t seed = 0; seed < 50; ++seed) items.push_back(Sampler(seed, false).make<FollowItem>());
  const auto back = kept_items(bytes_of(items));
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->size(), items.size());
  for (size_t i = 0; i < items.size(); ++i) EXPECT_TRUE(comparable(back->at(i)) == comparable(items[i])) << i;
}

TEST(KeptItems, WhatIsNone_IsRefused) {
  EXPECT_FALSE(kept_items("\xff\xff\xff").ok());
  EXPECT_TRUE(kept_items("")->empty());
}

}  // namespace
}  // namespace muster
