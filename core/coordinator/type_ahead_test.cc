// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/type_ahead.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TtyInput keys(const std::string& bytes) { return {0, bytes, 0, 0}; }

TEST(TypeAhead, WhatIsTypedBeforeTheRankRunsWaitsForIt) {
  TypeAhead ahead;
  EXPECT_FALSE(ahead.type(keys("he"), 1));
  EXPECT_FALSE(ahead.type(keys("llo\n"), 1));
  const std::optional<TtyInput> missed = ahead.rank_runs(3, 1);
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->bytes, "hello\n");
  EXPECT_EQ(missed->index, 3u);
  EXPECT_FALSE(ahead.rank_runs(3, 1)) << "once per attempt";
  EXPECT_EQ(ahead.type(keys("more"), 1)->bytes, "more");
}

TEST(TypeAhead, EveryAttemptHearsTheSizeOfTheWindow) {
  TypeAhead ahead;
  EXPECT_FALSE(ahead.type({0, "", 50, 132}, 1));
  EXPECT_EQ(ahead.rank_runs(0, 1)->columns, 132);
  EXPECT_TRUE(ahead.type({0, "x", 24, 80}, 1));
  EXPECT_FALSE(ahead.type(keys("typed between two attempts"), 2));
  const std::optional<TtyInput> missed = ahead.rank_runs(0, 2);
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->rows, 24);
  EXPECT_EQ(missed->bytes, "typed between two attempts");
}

TEST(TypeAhead, WhatWaitsIsBounded) {
  TypeAhead ahead;
  EXPECT_FALSE(ahead.type(keys(std::string(64 * 1024, 'a')), 1));
  EXPECT_FALSE(ahead.type(keys("b"), 1));
  EXPECT_EQ(ahead.rank_runs(0, 1)->bytes, std::string(64 * 1024, 'a'));
}

}  // namespace
}  // namespace muster
