// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/visible_gpus.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::vector<uint32_t> visible(const std::optional<std::string>& value) {
  const std::vector<Gpu> gpus = {{0, "GPU-aa-1"}, {1, "GPU-ab-2"}, {2, "GPU-b-3"}};
  std::vector<uint32_t> indices;
  for (const Gpu& gpu : visible_gpus(gpus, value)) indices.push_back(gpu.index);
  return indices;
}

TEST(VisibleGpus, AreAllWhenTheVariableIsUnsetAndNoneWhenItIsEmpty) {
  EXPECT_EQ(visible(std::nullopt), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_TRUE(visible("").empty());
  EXPECT_TRUE(visible("-1").empty());
  EXPECT_TRUE(visible("NoDevFiles").empty());
}

TEST(VisibleGpus, ByIndexAndByUuidInTheOrderGiven) {
  EXPECT_EQ(visible("2,0"), (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(visible("GPU-b-3, GPU-aa"), (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(visible("1,1"), (std::vector<uint32_t>{1}));
}

TEST(VisibleGpus, EndAtTheFirstThatIsNotThere) {
  EXPECT_EQ(visible("0,7,1"), (std::vector<uint32_t>{0}));
  EXPECT_EQ(visible("0,-1,1"), (std::vector<uint32_t>{0}));
  EXPECT_TRUE(visible("MIG-1,0").empty());
}

TEST(VisibleGpus, AVariableSetToNothingIsNotUnset) {
  EXPECT_EQ(cuda_visible_devices({}), std::nullopt);
  EXPECT_EQ(cuda_visible_devices({{"CUDA_VISIBLE_DEVICES", ""}}), "");
}

}  // namespace
}  // namespace muster
