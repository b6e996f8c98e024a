// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/disk_use.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace muster {
namespace {

namespace fs = std::filesystem;

class DiskUseTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "disk-use-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, size_t bytes) const {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name) << std::string(bytes, 'x');
  }

  std::string folder_;
};

TEST_F(DiskUseTest, CountsBlocksAndNotHoles) {
  EXPECT_EQ(bytes_below(folder_ + "/none"), 0u);
  write("a/b/c", 100'000);
  const uint64_t before = bytes_below(folder_);
  EXPECT_GE(before, 100'000u);
  write("hole", 0);
  fs::resize_file(folder_ + "/hole", 1 << 30);
  fs::create_symlink("/usr", folder_ + "/link");
  EXPECT_LT(bytes_below(folder_), before + (1 << 20));
}

TEST_F(DiskUseTest, CountsNoMoreFilesThanWanted) {
  write("a", 50'000);
  write("b", 50'000);
  EXPECT_LT(bytes_below(folder_, 1), bytes_below(folder_));
}

// A rank that still writes, or a user who deletes files, must not crash the controller.
TEST_F(DiskUseTest, FilesMayComeAndGoMeanwhile) {
  std::atomic<bool> over = false;
  std::thread tidy([&] {
    for (int i = 0; !over; ++i) {
      write("x" + std::to_string(i % 7) + "/y/z", 10);
      fs::remove_all(folder_ + "/x" + std::to_string((i + 3) % 7));
    }
  });
  for (int i = 0; i < 300; ++i) (void)bytes_below(folder_);
  over = true;
  tidy.join();
}

}  // namespace
}  // namespace muster
