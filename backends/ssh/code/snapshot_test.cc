// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "backends/ssh/code/unpack.h"
#include "core/base/ids.h"
#include "core/base/random.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    char name[] = "/tmp/muster-snapshot-XXXXXX";
    folder_ = mkdtemp(name);
    here_.environment = {{"PATH", "/usr/bin:/bin"}};
    write("train.py", "print(1)\n");
    write("sub dir/run.sh", "#!/bin/sh\n");
    chmod((folder_ + "/code/sub dir/run.sh").c_str(), 0755);
  }
  ~SnapshotTest() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(folder_ + "/code/" + path).parent_path());
    std::ofstream(folder_ + "/code/" + path) << text;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Snapshot take() const {
    const auto taken = take_snapshot({folder_ + "/code", 1 << 20, here_.environment, archives()});
    EXPECT_TRUE(taken.ok()) << taken.status().message();
    return taken.ok() ? *taken : Snapshot{};
  }
  std::string archives() const { return folder_ + "/archives"; }
  std::string host() const { return folder_ + "/host"; }

  CodeOrder order(const std::string& hash) const {
    Random random(7);
    return {JobId::make(random).text(), hash, 0, folder_ + "/elsewhere", 1, 2};
  }
  Status unpack_there(const CodeOrder& order) {
    return unpack(here_, host(), order, [&](const std::string& path) {
      ++received_;
      std::error_code error;
      fs::copy_file(archive_path(archives(), order.hash), path, error);
      return error ? Status(Code::unavailable, error.message()) : Status();
    });
  }

  std::string folder_;
  CallerContext here_;
  int received_ = 0;
};

TEST_F(SnapshotTest, TheSameContentIsTheSameSnapshotWheneverItIsTaken) {
  const Snapshot first = take();
  EXPECT_EQ(first.entries, 3u);
  fs::last_write_time(folder_ + "/code/train.py", fs::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(take().hash, first.hash);
  write("train.py", "print(2)\n");
  EXPECT_NE(take().hash, first.hash);
}

TEST_F(SnapshotTest, ArrivesWholeOnceForAllJobs) {
  CodeOrder asked = order(take().hash);
  ASSERT_TRUE(unpack_there(asked).ok());
  const std::string work = host() + "/code/" + asked.job;
  EXPECT_EQ(content(work + "/train.py"), "print(1)\n");
  struct stat about {};
  ASSERT_EQ(stat((work + "/sub dir/run.sh").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0755u);
  Random random(8);
  asked.job = JobId::make(random).text();
  ASSERT_TRUE(unpack_there(asked).ok());
  EXPECT_EQ(received_, 1);
  EXPECT_TRUE(fs::exists(host() + "/code/" + asked.job + "/train.py"));
}

TEST_F(SnapshotTest, WhatAJobWritesIsItsOwn) {
  const CodeOrder asked = order(take().hash);
  ASSERT_TRUE(unpack_there(asked).ok());
  std::ofstream(host() + "/code/" + asked.job + "/checkpoint") << "7";
  ASSERT_TRUE(unpack_there(asked).ok()) << "the next attempt";
  EXPECT_EQ(content(host() + "/code/" + asked.job + "/checkpoint"), "7");
}

TEST_F(SnapshotTest, DamageIsNoticedAndNothingIsLeft) {
  const CodeOrder asked = order(take().hash);
  std::ofstream(archive_path(archives(), asked.hash), std::ios::app) << "more";
  EXPECT_EQ(unpack_there(asked).code(), Code::data_loss);
  EXPECT_TRUE(fs::is_empty(host() + "/trees"));
  EXPECT_TRUE(fs::is_empty(host() + "/code"));
}

TEST_F(SnapshotTest, AFolderOfADiskIsNoSharedOne) {
  CodeOrder asked = order(take().hash);
  asked.folder = folder_ + "/code";
  struct stat about {};
  ASSERT_EQ(stat(asked.folder.c_str(), &about), 0);
  asked.inode = about.st_ino;
  asked.changed_nanos = about.st_ctim.tv_sec * int64_t{1'000'000'000} + about.st_ctim.tv_nsec;
  ASSERT_TRUE(unpack_there(asked).ok());
  EXPECT_EQ(received_, 1) << "a clone of a machine has the same inodes and times";
}

TEST_F(SnapshotTest, AHomeFolderStaysAtHome) {
  for (const std::string home : {"/code", "/code/sub dir"}) {
    here_.environment["HOME"] = folder_ + home;
    const auto refused = take_snapshot({folder_ + "/code", 1 << 20, here_.environment, archives()});
    EXPECT_EQ(refused.status().code(), Code::failed_precondition) << home;
  }
  here_.environment["HOME"] = folder_;
  EXPECT_FALSE(take().hash.empty());
}

TEST_F(SnapshotTest, TooMuchIsRefused) {
  write("data", std::string(3000, 'x'));
  const auto refused = take_snapshot({folder_ + "/code", 2000, here_.environment, archives()});
  EXPECT_EQ(refused.status().code(), Code::resource_exhausted);
}

}  // namespace
}  // namespace muster
