#include "launcher/view/style.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(DisplayWidth, CountsWhatTakesAColumn) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("é…█"), 3u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
}

TEST(Cut, KeepsWholeCharactersAndSaysThatItCut) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("ééééé", 3), "éé…");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Table, PadsAllButTheLastColumnAndCutsIt) {
  EXPECT_EQ(table({{{"A"}, {"B"}}, {{"long"}, {"x"}}, {{"é"}, {""}}}, {}), "A     B\nlong  x\né\n");
  EXPECT_EQ(table({{{"a"}, {"0123456789"}}}, {.columns = 8}), "a  0123…\n");
}

TEST(Paint, OnlyWithColours) {
  EXPECT_EQ(paint({}, Colour::red, "x"), "x");
  EXPECT_EQ(paint({.colour = true}, Colour::red, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace muster
