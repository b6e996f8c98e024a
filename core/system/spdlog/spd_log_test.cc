// SPDX-License-Identifier: Apache-2.0
#include "core/system/spdlog/spd_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace muster {
namespace {

class SpdLogTest : public testing::Test {
 protected:
  SpdLogTest() {
    char name[] = "/tmp/muster-log-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SpdLogTest() override { std::filesystem::remove_all(folder_); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string folder_;
};

TEST_F(SpdLogTest, what_was_written_is_in_the_file_after_the_end) {
  {
    SpdLog log(folder_ + "/state/logs", "serve");
    log.debug("too fine");
    log.info("hello {} %d");
    log.error("lost a node");
  }
  const std::string text = content(folder_ + "/state/logs/serve.log");
  EXPECT_NE(text.find("I hello {} %d\n"), std::string::npos) << text;
  EXPECT_NE(text.find("E lost a node\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("too fine"), std::string::npos) << text;
  struct stat about {};
  ASSERT_EQ(stat((folder_ + "/state/logs").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(SpdLogTest, rotates_and_keeps_three_older_files) {
  {
    SpdLog log(folder_, "serve");
    const std::string kilobyte(1024, 'x');
    for (int i = 0; i < 6 * 5 * 1024; ++i) {
      // Messages may be dropped; yielding now and then lets the file grow nevertheless.
      log.write(LogLevel::warning, kilobyte);
      if (i % 4096 == 4095) std::this_thread::yield();
    }
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ++files;
    EXPECT_LE(entry.file_size(), 5u * 1024 * 1024);
  }
  EXPECT_GE(files, 1u);
  EXPECT_LE(files, 4u);
}

TEST_F(SpdLogTest, a_folder_that_cannot_be_made_loses_the_log_only) {
  std::ofstream(folder_ + "/file") << "in the way";
  SpdLog log(folder_ + "/file/logs", "serve");
  log.error("nobody hears this");
}

TEST_F(SpdLogTest, a_full_disk_loses_the_log_only) {
  std::filesystem::create_symlink("/dev/full", folder_ + "/serve.log");
  testing::internal::CaptureStderr();
  {
    SpdLog log(folder_, "serve");
    for (int i = 0; i < 100; ++i) log.error("nobody hears this");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(SpdLogTest, many_threads_may_write) {
  {
    SpdLog log(folder_, "serve");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 500; ++i) log.info("line");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::string text = content(folder_ + "/serve.log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2000);
}

}  // namespace
}  // namespace muster
