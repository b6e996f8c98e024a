// SPDX-License-Identifier: Apache-2.0
#include "core/system/nvml/nvml_gpus.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

class KeptLog final : public Log {
 public:
  void write(LogLevel, std::string_view message) override { text += std::string(message) + "\n"; }
  std::string text;
};

class NvmlGpusTest : public testing::Test {
 protected:
  NvmlGpusTest() {
    char name[] = "/tmp/muster-test-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    sysfs_ = name;
  }
  ~NvmlGpusTest() override { std::filesystem::remove_all(sysfs_); }

  std::vector<Gpu> ask(const char* script, Duration limit = std::chrono::seconds(20)) {
    setenv("MUSTER_NVML_STAND_IN", script, 1);
    return NvmlGpus(log_, MUSTER_BINARY_DIR "/stand_in/libnvml_stand_in.so", limit, sysfs_).all();
  }

  KeptLog log_;
  std::string sysfs_;
};

TEST_F(NvmlGpusTest, NoLibraryMeansNoGpusAndASentence) {
  EXPECT_TRUE(NvmlGpus(log_, "libnvml-nowhere.so.1").all().empty());
  EXPECT_EQ(log_.text, "no GPUs: libnvml-nowhere.so.1 is missing or not usable\n");
}

TEST_F(NvmlGpusTest, ALibraryThatIsNotNvmlMeansNoGpus) { EXPECT_TRUE(NvmlGpus(log_, "libm.so.6").all().empty()); }

TEST_F(NvmlGpusTest, GpusAreDescribed) {
  const std::string device = sysfs_ + "/bus/pci/devices/0000:02:00.0";
  std::filesystem::create_directories(device);
  std::ofstream(device + "/numa_node") << "1\n";
  const std::vector<Gpu> gpus = ask("gpus=2");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0], (Gpu{0, "GPU-00000000-0000-0000-0000-000000000000", "Stand-in GPU", 10ULL << 30, -1}));
  EXPECT_EQ(gpus[1], (Gpu{1, "GPU-00000000-0000-0000-0000-000000000001", "Stand-in GPU", 20ULL << 30, 1}));
  EXPECT_EQ(log_.text, "");
}

TEST_F(NvmlGpusTest, ADriverThatIsNotLoadedMeansNoGpus) {
  EXPECT_TRUE(ask("gpus=2 init=9").empty());
  EXPECT_EQ(log_.text, "no GPUs: NVML reports: Driver Not Loaded\n");
}

TEST_F(NvmlGpusTest, ALostGpuIsLeftOut) {
  const std::vector<Gpu> gpus = ask("gpus=3 lost=1");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[1].index, 2u);
  EXPECT_EQ(log_.text, "GPU 1 is left out: GPU is lost\n");
}

TEST_F(NvmlGpusTest, WhoComputesIsToldAndWhoOnlyDrawsIsNot) {
  const std::string list = sysfs_ + "/processes";
  const std::string own = std::to_string(getpid());
  std::ofstream(list) << "1 " + own + "\n0 99999999\n0 " + own + " draws\n";
  setenv("MUSTER_NVML_STAND_IN", ("gpus=2 processes=" + list).c_str(), 1);
  NvmlGpus gpus(log_, MUSTER_BINARY_DIR "/stand_in/libnvml_stand_in.so", std::chrono::seconds(20), sysfs_);
  const std::vector<GpuProcess> processes = gpus.processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0], (GpuProcess{"GPU-00000000-0000-0000-0000-000000000000", 99999999, false}));
  EXPECT_EQ(processes[1], (GpuProcess{"GPU-00000000-0000-0000-0000-000000000001", getpid(), true}));
}

TEST_F(NvmlGpusTest, AHangingDriverHoldsNobodyUpNotEvenTwice) {
  setenv("MUSTER_NVML_STAND_IN", "hang", 1);
  NvmlGpus gpus(log_, MUSTER_BINARY_DIR "/stand_in/libnvml_stand_in.so", std::chrono::milliseconds(20));
  EXPECT_TRUE(gpus.all().empty());
  EXPECT_TRUE(gpus.all().empty());
  EXPECT_EQ(log_.text, "no GPUs: NVML did not answer within 20 ms; to check whether the driver hangs: nvidia-smi\n");
}

}  // namespace
}  // namespace muster
