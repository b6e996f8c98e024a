// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/python_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster {
namespace {

TEST(PythonInt, ReadsWhatIntReads) {
  EXPECT_EQ(python_int("7"), 7);
  EXPECT_EQ(python_int(" \t+1_000\n"), 1000);
  EXPECT_EQ(python_int("-3"), -3);
  EXPECT_EQ(python_int("007"), 7);
  for (const char* none :
       {"", " ", "1.0", "0x3", "1__0", "_1", "1_", "+-1", "--1", "1 2", "x", "99999999999999999999"}) {
    EXPECT_FALSE(python_int(none)) << none;
  }
}

TEST(PythonFloat, ReadsWhatFloatReads) {
  EXPECT_EQ(python_float(" 1_0.5 "), 10.5);
  EXPECT_EQ(python_float(".5"), 0.5);
  EXPECT_EQ(python_float("+5."), 5.0);
  EXPECT_EQ(python_float("1e-3"), 1e-3);
  EXPECT_TRUE(std::isinf(*python_float("-Infinity")));
  EXPECT_TRUE(std::isinf(*python_float("1e999")));
  EXPECT_TRUE(std::isnan(*python_float("nan")));
  for (const char* none : {"", "1e", "nan(1)", "0x1p3", "+-1", "1,5"}) EXPECT_FALSE(python_float(none)) << none;
}

TEST(PythonCommaList, TwoCommasAreOne) {
  using Items = std::vector<std::string>;
  EXPECT_EQ(python_comma_list("a,b"), (Items{"a", "b"}));
  EXPECT_EQ(python_comma_list("a,,b"), (Items{"a,b"}));
  EXPECT_EQ(python_comma_list(",,,"), (Items{",", ""}));
  EXPECT_EQ(python_comma_list(""), (Items{""}));
}

}  // namespace
}  // namespace muster
