// SPDX-License-Identifier: Apache-2.0
#include "core/job/code_order.h"

#include <gtest/gtest.h>

#include "core/base/ids.h"

namespace muster {
namespace {

CodeOrder sample() {
  Random random(3);
  return {JobId::make(random).text(), std::string(32, 'a'), 123, "/home/mia/my \"code\"\n", 77, -5};
}

TEST(CodeOrder, ComesBackAsItWas) {
  const std::string line = to_line(sample());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = code_order_from(line);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, sample());
}

TEST(CodeOrder, NamesThatLeadElsewhereAreRefused) {
  CodeOrder order = sample();
  order.job = "../../etc";
  EXPECT_FALSE(code_order_from(to_line(order)).ok());
  order = sample();
  order.hash = "../" + std::string(29, 'a');
  EXPECT_FALSE(code_order_from(to_line(order)).ok());
  for (const char* text : {"", "{}", "[1]", "{\"job\": 1}"}) EXPECT_FALSE(code_order_from(text).ok()) << text;
}

}  // namespace
}  // namespace muster
