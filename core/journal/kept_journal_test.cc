// SPDX-License-Identifier: Apache-2.0
#include "core/journal/kept_journal.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/text.h"

namespace muster {
namespace {

// Packs lines as "(a,b)"; a line "long" cannot be packed.
struct Packer {
  int packed = 0;
  std::string operator()(const std::vector<std::string>& lines) {
    packed += static_cast<int>(lines.size());
    return lines.front() == "long" ? "" : "(" + join(lines, ",") + ")";
  }
};

TEST(KeptJournal, EachLineIsPackedOnce_AndGivenFromWhereSomebodyIs) {
  Packer packer;
  KeptJournal journal(std::ref(packer), {"a", "b"});
  EXPECT_EQ(journal.after(0), "(a,b)");
  EXPECT_EQ(journal.after(5), "");
  journal.add("c");
  journal.add("d");
  EXPECT_EQ(journal.after(5), "(c,d)");
  EXPECT_EQ(journal.after(0), "(a,b)(c,d)");
  EXPECT_EQ(packer.packed, 4);
}

TEST(KeptJournal, WhoKeepsItsBegin_GoesOnThere) {
  KeptJournal journal(Packer{}, {"a", "b"});
  journal.after(0);
  EXPECT_TRUE(journal.begins_with(""));
  EXPECT_TRUE(journal.begins_with("(a,"));
  EXPECT_TRUE(journal.begins_with("(a,b)"));
  EXPECT_FALSE(journal.begins_with("(a,b)(c)"));
  EXPECT_FALSE(journal.begins_with("(b"));
}

TEST(KeptJournal, WhatIsLong_IsGivenBySlices) {
  KeptJournal journal(Packer{}, {std::string(3 * KeptJournal::slice / 2, 'x')});
  const std::string first(journal.after(0));
  EXPECT_EQ(first.size(), KeptJournal::slice);
  EXPECT_EQ(first.size() + journal.after(first.size()).size(), 3 * KeptJournal::slice / 2 + 2);
}

TEST(KeptJournal, BeyondItsBound_ItStaysAsItIs_AndSaysSoOnce) {
  KeptJournal journal(Packer{}, {"a"});
  for (size_t size = 0; size <= KeptJournal::most; size += KeptJournal::slice) {
    journal.add(std::string(KeptJournal::slice, 'x'));
    journal.after(0);
  }
  EXPECT_TRUE(journal.overflowed());
  EXPECT_FALSE(journal.overflowed());
  const std::string before(journal.after(KeptJournal::most - KeptJournal::slice));
  journal.add("b");
  EXPECT_EQ(journal.after(KeptJournal::most - KeptJournal::slice), before);
  EXPECT_FALSE(journal.overflowed());
}

TEST(KeptJournal, WhatCannotBePacked_EndsIt) {
  KeptJournal journal(Packer{}, {"a"});
  journal.after(0);
  journal.add("long");
  EXPECT_EQ(journal.after(3), "");
  EXPECT_TRUE(journal.overflowed());
}

}  // namespace
}  // namespace muster
