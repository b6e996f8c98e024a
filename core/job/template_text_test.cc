// SPDX-License-Identifier: Apache-2.0
#include "core/job/template_text.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string fill(std::string_view text) {
  return fill_template(text, [](std::string_view word) -> std::optional<std::string> {
    if (word == "rank") return "3";
    return std::nullopt;
  });
}

TEST(Template, FillsItsWordsAndLeavesTheRest) {
  EXPECT_EQ(fill("a ${rank}/${rank} b"), "a 3/3 b");
  EXPECT_EQ(fill("costs $$5, ${other}"), "costs $5, ${other}");
  EXPECT_EQ(fill("$HOME ${ ${rank"), "$HOME ${ ${rank");
  EXPECT_EQ(fill(""), "");
}

TEST(Template, NamesTheWordThatStandsForNothing) {
  EXPECT_EQ(strange_word_of_template("${rank} of ${world_size}, $$"), std::nullopt);
  EXPECT_EQ(strange_word_of_template("${rank} ${rnak}"), "rnak");
  EXPECT_EQ(strange_word_of_template("${rank"), "");
  EXPECT_EQ(strange_word_of_template("${}"), "");
  EXPECT_EQ(strange_word_of_template("100 $"), "");
}

TEST(Template, PartsOfTheGroupNode_AreQuotientAndRemainder) {
  EXPECT_EQ(part_of_group_node("group_node/4", 7), 1u);
  EXPECT_EQ(part_of_group_node("group_node%4", 7), 3u);
  for (const char* other : {"group_node", "group_node/", "group_node%0", "group_node/04", "group_node*2",
                            "group_node%-1", "group_node%4x", "group_node%4294967296"}) {
    EXPECT_FALSE(part_of_group_node(other, 7)) << other;
  }
  EXPECT_FALSE(strange_word_of_template("${group_node%2}-${group_node/2}"));
  EXPECT_EQ(strange_word_of_template("${group_node%0}"), "group_node%0");
}

TEST(Template, Ports_NumberedWords_AreCounted) {
  EXPECT_EQ(ports_of_template("${rank}"), 0u);
  EXPECT_EQ(ports_of_template("${port} and ${port_3}, $${port_9}"), 3u);
  EXPECT_EQ(ports_of_template("${peers}"), 1u);
  EXPECT_EQ(strange_word_of_template("${port} ${port_2} ${port_64}"), std::nullopt);
  for (const char* word : {"port_", "port_0", "port_1", "port_02", "port_2x", "port_65", "port_-2"})
    EXPECT_EQ(strange_word_of_template("${" + std::string(word) + "}"), word);
}

}  // namespace
}  // namespace muster
