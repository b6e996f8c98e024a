// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/journal_parts.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster::pod {
namespace {

using Lines = std::vector<std::string>;

TEST(JournalParts, OneBehindTheOther_AreOneJournal) {
  const std::string parts = pack_parts({"{\"a\": 1}", "{\"b\": 2}"}) + pack_parts({"{\"c\": 3}"});
  const auto back = unpack_parts(parts);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, (Lines{"{\"a\": 1}", "{\"b\": 2}", "{\"c\": 3}"}));
  EXPECT_EQ(pack_parts({}), "");
}

TEST(JournalParts, ALongJournal_ComesBackWhole) {
  Random random(7);
  Lines lines;
  for (int i = 0; i < 200'000; ++i) lines.push_back("{\"number\": " + std::to_string(random.next()) + "}");
  const auto back = unpack_parts(pack_parts(lines));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, lines);
}

TEST(JournalParts, APartThatWasOnItsWay_IsLeftOut) {
  const std::string first = pack_parts({"one"});
  const std::string parts = first + pack_parts({"another"});
  for (size_t size = first.size(); size < parts.size(); ++size) {
    const auto back = unpack_parts(parts.substr(0, size));
    ASSERT_TRUE(back.ok()) << size;
    EXPECT_EQ(*back, Lines{"one"});
  }
}

TEST(JournalParts, WhatIsDamaged_IsRefused) {
  std::string parts = pack_parts({"one line, and another word"});
  parts[parts.size() - 3] ^= 0x55;
  EXPECT_FALSE(unpack_parts(parts).ok());
}

}  // namespace
}  // namespace muster::pod
