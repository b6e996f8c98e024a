// SPDX-License-Identifier: Apache-2.0
#include "core/base/rare.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

TEST(RareTest, is_empty_until_it_is_given_a_value) {
  Rare<std::string> rare;
  EXPECT_FALSE(rare);
  EXPECT_FALSE(rare.has_value());
  rare = std::string("told");
  ASSERT_TRUE(rare);
  EXPECT_EQ(*rare, "told");
  EXPECT_EQ(rare->size(), 4u);
  rare.reset();
  EXPECT_FALSE(rare);
}

TEST(RareTest, a_copy_is_a_value_of_its_own) {
  Rare<std::string> one(std::string("told"));
  Rare<std::string> other = one;
  *other = "changed";
  EXPECT_EQ(*one, "told");
  other = one;
  EXPECT_EQ(*other, "told");
  other = Rare<std::string>();
  EXPECT_FALSE(other);
  EXPECT_TRUE(one);
}

TEST(RareTest, assigned_to_itself_it_stays) {
  Rare<std::string> one(std::string("told"));
  const Rare<std::string>& same = one;
  one = same;
  EXPECT_EQ(*one, "told");
}

TEST(RareTest, is_compared_by_what_it_holds) {
  const Rare<std::string> none;
  const Rare<std::string> one(std::string("told"));
  EXPECT_EQ(none, Rare<std::string>(std::nullopt));
  EXPECT_EQ(none, Rare<std::string>(std::optional<std::string>()));
  EXPECT_EQ(one, Rare<std::string>(std::string("told")));
  EXPECT_NE(one, Rare<std::string>(std::string("other")));
  EXPECT_NE(one, none);
}

TEST(RareTest, an_empty_one_has_a_pointers_room) { EXPECT_EQ(sizeof(Rare<std::string>), sizeof(void*)); }

}  // namespace
}  // namespace muster
