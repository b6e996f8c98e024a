#include "core/base/base64.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster {
namespace {

TEST(Base64, IsAsOthersWriteIt) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64(std::string("\0\xff\x80", 3)), "AP+A");
}

TEST(Base64, ComesBack) {
  Random random(3);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(bytes_of_base64(base64(bytes)), bytes);
    bytes += static_cast<char>(random.next());
  }
}

TEST(Base64, WhatIsNone_IsRefused) {
  for (const char* text : {"Zg", "Zg=", "Z===", "====", "Zm9v!m9v", "Zg==Zg=="})
    EXPECT_FALSE(bytes_of_base64(text)) << text;
}

}  // namespace
}  // namespace muster
