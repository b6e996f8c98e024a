// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/yaml_traps.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(YamlTraps, TruthsOfYaml11) {
  for (const char* text : {"no", "No", "NO", "yes", "on", "Off"}) {
    const auto trap = find_trap(text);
    ASSERT_TRUE(trap) << text;
    EXPECT_STREQ(trap->code, "E1105");
  }
}

TEST(YamlTraps, OctalAndBase60) {
  for (const char* text : {"010", "-007", "0o17", "08", "1:30", "12:30:45", "+1:05"}) {
    const auto trap = find_trap(text);
    ASSERT_TRUE(trap) << text;
    EXPECT_STREQ(trap->code, "E1104");
  }
}

TEST(YamlTraps, HarmlessTexts) {
  for (const char* text : {"", "0", "1", "0.1", "true", "nope", "0x1F", "8080:80", "a:30", "1:", ":30", "2024-01-02",
                           "-", "0o", "0oz", "1e5", "n", "y", "--no"}) {
    EXPECT_FALSE(find_trap(text)) << text;
  }
}

}  // namespace
}  // namespace muster
