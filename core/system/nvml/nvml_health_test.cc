// SPDX-License-Identifier: Apache-2.0
#include "core/system/nvml/nvml_health.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace muster {
namespace {

std::optional<NvmlHealth> ask(const char* script, Duration limit = std::chrono::seconds(20)) {
  setenv("MUSTER_NVML_STAND_IN", script, 1);
  return nvml_health(MUSTER_BINARY_DIR "/stand_in/libnvml_stand_in.so", limit);
}

TEST(NvmlHealth, NoLibraryOrNoDriverIsNone) {
  EXPECT_FALSE(nvml_health("libnvml-nowhere.so.1", std::chrono::seconds(20)));
  EXPECT_FALSE(ask("init=9"));
}

// The thread waits forever, until the process ends.
TEST(NvmlHealth, ADriverThatHangsIsNone) { EXPECT_FALSE(ask("hang", std::chrono::milliseconds(50))); }

TEST(NvmlHealth, VersionsAndAHealthyGpu) {
  const auto health = ask("gpus=1 driver=535.104.05 cuda=12020");
  ASSERT_TRUE(health && health->gpus.size() == 1);
  EXPECT_EQ(health->driver, "535.104.05");
  EXPECT_EQ(health->cuda_driver, 12020);
  const GpuHealth expected{
      0, "GPU-00000000-0000-0000-0000-000000000000", true, GpuHealth::Sharing::many, false, 0, false, false};
  EXPECT_EQ(health->gpus[0], expected);
}

TEST(NvmlHealth, WhatIsWrongWithAGpu) {
  const auto health = ask("gpus=2 lost=0 persistence=0 compute=3 mig=1 ecc=7 pending=1 failed=1");
  ASSERT_TRUE(health && health->gpus.size() == 1);
  const GpuHealth expected{
      1, "GPU-00000000-0000-0000-0000-000000000001", false, GpuHealth::Sharing::one, true, 7, true, true};
  EXPECT_EQ(health->gpus[0], expected);
  EXPECT_EQ(ask("gpus=1 compute=2")->gpus[0].sharing, GpuHealth::Sharing::none);
}

}  // namespace
}  // namespace muster
