// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_spec.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(JobSpec, SignalsReadAsTheyAreWritten) {
  EXPECT_EQ(signal_number("SIGBUS"), 7);
  EXPECT_EQ(signal_name(7), "SIGBUS");
  EXPECT_EQ(signal_name(6), "SIGABRT");
  EXPECT_EQ(signal_number("SIGIOT"), 6);
  EXPECT_EQ(signal_name(77), "signal 77");
  for (int number = 1; number <= 64; ++number) EXPECT_EQ(signal_number(signal_name(number)), number);
}

TEST(JobSpec, StrangeSignalsAreNone) {
  for (const char* text : {"", "BUS", "sigbus", "signal", "signal 0", "signal 65", "signal x", "signal 7x"}) {
    EXPECT_EQ(signal_number(text), std::nullopt) << text;
  }
}

TEST(JobSpec, RulesAndCounts) {
  EXPECT_EQ(to_string(AutoCount{true, 0}), "auto");
  EXPECT_EQ(to_string(AutoCount{false, 8}), "8");
}

}  // namespace
}  // namespace muster
