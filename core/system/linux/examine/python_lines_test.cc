// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

// Entries: two instructions on line 3; one two lines before it; one without a line; one on line 5 with
// columns.
TEST(PythonLines, Table_OfEntries_GivesTheLineOfEachInstruction) {
  const std::string table = {char(0x80 | (13 << 3) | 1),
                             4,
                             char(0x80 | (13 << 3)),
                             5,
                             char(0x80 | (15 << 3)),
                             char(0x80 | (14 << 3)),
                             8,
                             0,
                             1,
                             2};
  EXPECT_EQ(python_line(table, 1, 0), 3);
  EXPECT_EQ(python_line(table, 1, 1), 3);
  EXPECT_EQ(python_line(table, 1, 2), 1);
  EXPECT_EQ(python_line(table, 1, 3), 0);
  EXPECT_EQ(python_line(table, 1, 4), 5);
  EXPECT_EQ(python_line(table, 1, 5), 0);
}

TEST(PythonLines, Table_EmptyOrCut_GivesNone) {
  EXPECT_EQ(python_line("", 1, 0), 0);
  EXPECT_EQ(python_line(std::string(1, char(0xff)), 1, 0), 0);
}

TEST(PythonLines310, Table_OfPairs_GivesTheLineOfEachInstruction) {
  const std::string table = {2, 0, 0, 127, 2, 3, 2, char(0x80), 2, char(-100)};
  EXPECT_EQ(python_line_310(table, 10, -1), 10) << "it has not begun";
  EXPECT_EQ(python_line_310(table, 10, 0), 10);
  EXPECT_EQ(python_line_310(table, 10, 1), 140) << "a pair without instructions adds lines";
  EXPECT_EQ(python_line_310(table, 10, 2), 0) << "no line";
  EXPECT_EQ(python_line_310(table, 10, 3), 40);
  EXPECT_EQ(python_line_310(table, 10, 4), 0);
}

TEST(PythonLines310, Table_EmptyOrCut_GivesNone) {
  EXPECT_EQ(python_line_310("", 1, 0), 0);
  EXPECT_EQ(python_line_310(std::string(1, 2), 1, 0), 0);
}

}  // namespace
}  // namespace muster
