// SPDX-License-Identifier: Apache-2.0
#include "core/job/json_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(JsonText, QuotesAndEscapes) {
  EXPECT_EQ(json_quoted("a \"b\" \\"), R"("a \"b\" \\")");
  EXPECT_EQ(json_quoted("\n\t\x01\x7f"), R"("\u000a\u0009\u0001\u007f")");
  EXPECT_EQ(json_quoted("ä\xC2\x85"), "\"ä\\u0085\"");
}

TEST(JsonText, Lists) {
  EXPECT_EQ(json_list({}), "[]");
  EXPECT_EQ(json_list({"a", "b c"}), R"(["a","b c"])");
}

}  // namespace
}  // namespace muster
