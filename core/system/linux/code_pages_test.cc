#include "core/system/linux/code_pages.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

int counted = 7;

TEST(CodePages, TheProgramGoesOnWithAllItHad) {
  const std::string text(100000, 'x');
  counted = 8;
  for (int i = 0; i < 3; ++i) EXPECT_GT(let_go_of_code(), 0u);
  EXPECT_EQ(counted, 8);
  EXPECT_EQ(text.find_first_not_of('x'), std::string::npos);
}

}  // namespace
}  // namespace muster
