// SPDX-License-Identifier: Apache-2.0
#include "core/base/quantity.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Quantity, NumbersWithSuffixes_AreRead) {
  EXPECT_DOUBLE_EQ(quantity_value("500m").value_or(-1), 0.5);
  EXPECT_DOUBLE_EQ(quantity_value("16Gi").value_or(-1), 16.0 * (1 << 30));
  EXPECT_DOUBLE_EQ(quantity_value("1e3").value_or(-1), 1000);
  EXPECT_DOUBLE_EQ(quantity_value("2E").value_or(-1), 2e18);
  EXPECT_DOUBLE_EQ(quantity_value("2Ei").value_or(-1), 0x1p61);
  EXPECT_DOUBLE_EQ(quantity_value("+.5").value_or(-1), 0.5);
}

TEST(Quantity, OtherTexts_AreNone) {
  for (const char* text : {"", "much", "3 apples", "-1", "inf", "nan", "1e999", "9e300Ei", "1Zi", "0x10", "1 "})
    EXPECT_FALSE(quantity_value(text)) << text;
}

}  // namespace
}  // namespace muster
