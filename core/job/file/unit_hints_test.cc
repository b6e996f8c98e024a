// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/unit_hints.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(UnitHints, Sizes) {
  EXPECT_EQ(size_meant("4GigaByte"), "4GiB");
  EXPECT_EQ(size_meant("4gb"), "4GB");
  EXPECT_EQ(size_meant("4 GiB"), "4GiB");
  EXPECT_EQ(size_meant("4Gi"), "4GiB");
  EXPECT_EQ(size_meant("512m"), "512MiB");
  EXPECT_EQ(size_meant("2048"), "2048MiB");
  for (const char* text : {"", "GiB", "1.5GiB", "4 parsecs", "-4GiB"}) EXPECT_FALSE(size_meant(text)) << text;
}

TEST(UnitHints, Durations) {
  EXPECT_EQ(duration_meant("5min"), "5m");
  EXPECT_EQ(duration_meant("10 seconds"), "10s");
  EXPECT_EQ(duration_meant("2 Hours"), "2h");
  EXPECT_EQ(duration_meant("250 millis"), "250ms");
  EXPECT_EQ(duration_meant("30"), "30s");
  for (const char* text : {"", "soon", "1.5h", "3 fortnights"}) EXPECT_FALSE(duration_meant(text)) << text;
}

}  // namespace
}  // namespace muster
