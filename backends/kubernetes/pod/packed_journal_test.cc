// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/packed_journal.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster::pod {
namespace {

TEST(PackedJournal, ComesBackAsItWas) {
  const std::vector<std::string> lines{"{\"a\": 1}", "", "{\"b\": \"\\n\"}"};
  const auto back = unpack_journal(pack_journal(lines));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, lines);
}

TEST(PackedJournal, WhatIsTooLongIsNotKept) {
  Random random(7);
  std::vector<std::string> lines;
  for (int i = 0; i < 1'200'000; ++i) lines.push_back(std::to_string(random.next()));
  EXPECT_EQ(pack_journal(lines), "");
}

TEST(PackedJournal, WhatIsDamagedIsRefused) {
  const std::string packed = pack_journal({"one line", "another"});
  for (size_t size = 0; size < packed.size(); ++size) EXPECT_FALSE(unpack_journal(packed.substr(0, size)).ok());
  EXPECT_FALSE(unpack_journal(std::string(100, '\xff')).ok());
}

}  // namespace
}  // namespace muster::pod
