// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

class JobFile : public testing::Test {
 public:
  JobFile() : folder_(std::filesystem::path(testing::TempDir()) / ("job_file_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~JobFile() override { std::filesystem::remove_all(folder_); }

 protected:
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(JobFile, IsReadWhole) {
  std::ofstream(path("job.yaml")) << "command: [x]\n";
  const auto text = read_job_file(path("job.yaml"));
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, "command: [x]\n");
}

TEST_F(JobFile, AGigabyteIsRefusedUnread) {
  std::ofstream(path("large.yaml")) << "x";
  std::filesystem::resize_file(path("large.yaml"), 1ULL << 30);
  const auto text = read_job_file(path("large.yaml"));
  EXPECT_EQ(text.status().code(), Code::resource_exhausted);
  EXPECT_NE(text.status().message().find("has 1 GiB; a job file has at most 256 KiB"), std::string::npos)
      << text.status().message();
}

TEST_F(JobFile, WhatIsNoFileIsRefused) {
  EXPECT_EQ(read_job_file(path("absent.yaml")).status().code(), Code::not_found);
  EXPECT_EQ(read_job_file(folder_.string()).status().code(), Code::invalid_argument);
  EXPECT_EQ(read_job_file("/dev/zero").status().code(), Code::invalid_argument);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_job_file(path("pipe")).status().code(), Code::invalid_argument);
}

TEST(UnreadableFile, IsAProblemWithItsAdviceApart) {
  const Diagnostic large = unreadable_file("a.yaml", {Code::resource_exhausted, "`a.yaml` has 1 GiB; at most 256 KiB"});
  EXPECT_EQ(large.code, "E1002");
  EXPECT_EQ(large.message, "`a.yaml` has 1 GiB; at most 256 KiB");
  const Diagnostic absent =
      unreadable_file("b.yaml", {Code::not_found, "there is no file `b.yaml`; did you mean `c.yaml`?"});
  EXPECT_EQ(absent.code, "E1013");
  EXPECT_EQ(absent.where.file, "b.yaml");
  EXPECT_EQ(absent.message, "there is no file `b.yaml`");
  EXPECT_EQ(absent.help, "did you mean `c.yaml`?");
}

}  // namespace
}  // namespace muster
