// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/escape_line.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct Passed {
  std::string bytes;
  bool left = false;
  bool operator==(const Passed&) const = default;
};

Passed pass(std::initializer_list<const char*> typed) {
  EscapeLine line;
  Passed all;
  for (const char* keys : typed) all.bytes += line.pass(keys, all.left);
  return all;
}

TEST(EscapeLine, ATildeAndAPointAtTheBeginOfALineLeave) {
  EXPECT_EQ(pass({"~."}), (Passed{"", true}));
  EXPECT_EQ(pass({"ls\r~", ".more"}), (Passed{"ls\r", true}));
}

TEST(EscapeLine, AllElseIsForTheProgram) {
  EXPECT_EQ(pass({"cd ~.\r"}), (Passed{"cd ~.\r", false}));
  EXPECT_EQ(pass({"~/x", "\r~a"}), (Passed{"~/x\r~a", false}));
}

TEST(EscapeLine, TwoTildesAreOne) { EXPECT_EQ(pass({"~", "~."}), (Passed{"~.", false})); }

}  // namespace
}  // namespace muster
