// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/style.h"

#include <gtest/gtest.h>

#include "core/client/view/narrow.h"

namespace muster {
namespace {

TEST(DisplayWidth, CountsWhatTakesAColumn) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("é…█"), 3u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
}

TEST(Wrapped, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("a\n\nb c", 80), "a\n\nb c");
  EXPECT_EQ(wrapped("a:  b\n    c", 80), "a:  b\n    c");
  EXPECT_EQ(wrapped("unbreakable x", 4), "unbreakable\nx");
}

TEST(Cut, KeepsWholeCharactersAndSaysThatItCut) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("ééééé", 3), "éé…");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Cut, CountsNoColoursAndEndsThem) {
  const Style style{.colour = true};
  const std::string text = paint(style, Colour::red, "abc") + paint(style, Colour::green, "def");
  EXPECT_EQ(display_width(text), 6u);
  EXPECT_EQ(cut(text, 6), text);
  EXPECT_EQ(cut(text, 5), "\x1b[31mabc\x1b[0m\x1b[32md…\x1b[0m");
}

TEST(Table, PadsAllButTheLastColumnAndCutsIt) {
  EXPECT_EQ(table({{{"A"}, {"B"}}, {{"long"}, {"x"}}, {{"é"}, {""}}}, {}), "A     B\nlong  x\né\n");
  EXPECT_EQ(table({{{"a"}, {"0123456789"}}}, {.columns = 8}), "a  0123…\n");
}

TEST(Table, ColumnsCanBeMeasuredAndDropped) {
  std::vector<Row> rows{{{"A"}, {"B"}, {"C"}}, {{"long"}, {"x"}, {"cc"}}};
  EXPECT_EQ(width_before_last(rows), 9u);
  drop_column(rows, 1);
  EXPECT_EQ(table(rows, {}), "A     C\nlong  cc\n");
  EXPECT_EQ(width_before_last({}), 0u);
}

TEST(DropUntilFits, DropsAsManyAsItMust) {
  std::vector<Row> rows{{{"NAME"}, {"RANKS"}, {"AGE"}, {""}}, {{"llm"}, {"2"}, {"4 min"}, {"waits"}}};
  drop_until_fits(rows, {"AGE", "RANKS"}, 0, 50);
  EXPECT_EQ(rows[0].size(), 4u) << "no limit";
  drop_until_fits(rows, {"STEP", "AGE", "RANKS"}, 20, 5);
  EXPECT_EQ(table(rows, {}), "NAME  RANKS\nllm   2      waits\n");
}

TEST(Ago, IsRoundedToItsLargestUnit) {
  const auto at = [](int64_t millis) { return from_unix_nanos(1'000'000'000'000 + millis * 1'000'000); };
  EXPECT_EQ(ago(at(0), at(281)), "just now");
  EXPECT_EQ(ago(at(500), at(0)), "just now");
  EXPECT_EQ(ago(at(0), at(93'200)), "1 min ago");
  EXPECT_EQ(ago(at(0), at(3 * 3'600'000)), "3 h ago");
}

TEST(ErrorLine, LooksAsThatOfADiagnostic) {
  EXPECT_EQ(error_line({}, "no"), "error: no\n");
  EXPECT_EQ(error_line({.colour = true}, "no"), "\x1b[1;31merror\x1b[0m: no\n");
}

TEST(Paint, OnlyWithColours) {
  EXPECT_EQ(paint({}, Colour::red, "x"), "x");
  EXPECT_EQ(paint({.colour = true}, Colour::red, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace muster
