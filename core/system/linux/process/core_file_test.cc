// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/core_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

class CoreFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string touched(const std::string& name) {
    std::ofstream(folder_ + "/" + name) << "x";
    return folder_ + "/" + name;
  }

  const std::string folder_ = testing::TempDir() + "core_file_" + std::to_string(getpid());
  const DeadProcess process_{417, 11, folder_};
};

TEST_F(CoreFile, WhereTheKernelPutsIt) {
  const std::string plain = touched("core");
  const std::string by_pid = touched("core.417");
  const std::string named = touched("core-python-417-11-1763800000");
  EXPECT_EQ(core_file_of(process_, "core", false), plain);
  EXPECT_EQ(core_file_of(process_, "core", true), by_pid);
  EXPECT_EQ(core_file_of(process_, folder_ + "/core-%e-%p-%s-%t", true), named);
  EXPECT_EQ(core_file_of(process_, "elsewhere/core", false), "");
}

TEST_F(CoreFile, OfCollectorsOnlyOneCanBeAsked) {
  EXPECT_EQ(core_file_of(process_, "|/usr/lib/systemd/systemd-coredump %P %u", true), "coredumpctl info 417");
  EXPECT_EQ(core_file_of(process_, "|/usr/share/apport/apport %p", true), "");
  EXPECT_EQ(core_file_of(process_, "", true), "");
}

}  // namespace
}  // namespace muster
