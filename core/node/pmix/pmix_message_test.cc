// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_message.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace muster {
namespace {

TEST(PmixMessage, Message_SentInParts_ComesOutWhole) {
  const PmixFields fields{"ask", "7", std::string("\0\xff,\n", 4), ""};
  const std::string bytes = pmix_message(fields) + pmix_message({"connected", "3"});
  std::string received;
  std::vector<PmixFields> taken;
  for (const char byte : bytes) {
    received += byte;
    while (const auto next = take_pmix_message(received)) taken.push_back(*next);
  }
  EXPECT_EQ(taken, (std::vector<PmixFields>{fields, {"connected", "3"}}));
  EXPECT_EQ(received, "");
}

TEST(PmixMessage, List_InAField_KeepsItsItems) {
  const PmixFields items{"A=1", "", "B=x\ny"};
  EXPECT_EQ(pmix_items(pmix_list(items)), items);
  EXPECT_EQ(pmix_items(""), PmixFields());
  EXPECT_EQ(pmix_items("ab"), PmixFields()) << "no complete length";
  EXPECT_EQ(pmix_items(pmix_list(items).substr(0, 6)), PmixFields()) << "an item that is cut off";
}

TEST(PmixMessage, Numbers_InText_AreRead) {
  EXPECT_EQ(pmix_numbers({0, 1, 12}), "0,1,12");
  EXPECT_EQ(numbers_in("0,1,12"), (std::vector<uint32_t>{0, 1, 12}));
  EXPECT_EQ(numbers_in(""), std::vector<uint32_t>());
  EXPECT_EQ(numbers_in("4,x,5"), std::vector<uint32_t>{4});
}

TEST(PmixMessage, Group_InAnyOrder_HasOneName) {
  EXPECT_EQ(pmix_group({12, 0, 1}), "0,1,12");
  std::vector<uint32_t> many(100);
  for (uint32_t rank = 0; rank < 100; ++rank) many[rank] = 99 - rank;
  const std::string name = pmix_group(many);
  EXPECT_LE(name.size(), 200u);
  std::reverse(many.begin(), many.end());
  EXPECT_EQ(pmix_group(many), name);
}

}  // namespace
}  // namespace muster
