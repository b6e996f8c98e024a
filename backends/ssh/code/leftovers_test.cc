// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/leftovers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

class LeftoversTest : public testing::Test {
 protected:
  LeftoversTest() {
    char name[] = "/tmp/muster-leftovers-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~LeftoversTest() override { fs::remove_all(folder_); }

  // Makes a folder with a file, or a link, whose time is `days` ago.
  fs::path make(const std::string& name, int days, const std::string& link = "") const {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    if (link.empty()) {
      fs::create_directory(path);
      std::ofstream(path / "file") << "x";
    } else {
      fs::create_symlink(link, path);
    }
    if (link.empty()) touch(path / "file", days);
    touch(path, days);
    return path;
  }
  static void touch(const fs::path& path, int days) {
    const timespec then{time(nullptr) - days * 24 * 3600, 0};
    const timespec times[2] = {then, then};
    utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  std::string runtime() const { return folder_ + "/run"; }

  std::string folder_;
};

TEST_F(LeftoversTest, AHostIsForgottenUnlessJobsRunThere) {
  for (const char* each : {"code/aaaa", "jobs/aaaa", "trees/aaaa", "bin/0123", "imports/aaaa", "setup/aaaa"})
    make(each, 0);
  fs::create_directory(runtime());
  std::ofstream(runtime() + "/link-aaaa-0-xyz.lock") << "4711\n";
  EXPECT_EQ(forget_host(folder_, runtime()).code(), Code::failed_precondition);
  EXPECT_TRUE(fs::exists(folder_ + "/bin/0123"));
  fs::remove_all(runtime());
  const fs::path others = make("notes", 0);
  EXPECT_TRUE(forget_host(folder_, runtime()).ok());
  EXPECT_TRUE(fs::exists(others)) << "files of others stay";
  fs::remove_all(others);
  EXPECT_TRUE(forget_host(folder_, runtime()).ok());
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(LeftoversTest, WhatIsOldGoesAndWhatIsNewStays) {
  const fs::path old = make("code/aaaa", 40);
  const fs::path young = make("code/bbbb", 20);
  const fs::path output = make("jobs/aaaa", 40);
  const fs::path archive = make("trees/aaaa", 9);
  const fs::path build = make("bin/0123", 90);
  remove_leftovers(folder_, runtime());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(output));
  EXPECT_FALSE(fs::exists(archive));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(build)) << "builds have rules of their own";
}

TEST_F(LeftoversTest, ASetupIsAsOldAsItsLastUse) {
  const fs::path used = make("setup/aaaa", 200);
  const fs::path unused = make("setup/bbbb", 200);
  const fs::path failed = make("setup/cccc", 200);
  for (const auto& [stamp, days] : {std::pair{used, 80}, std::pair{unused, 100}}) {
    std::ofstream(stamp.string() + ".done") << "x";
    touch(stamp.string() + ".done", days);
  }
  remove_leftovers(folder_, runtime());
  EXPECT_TRUE(fs::exists(used));
  EXPECT_FALSE(fs::exists(unused) || fs::exists(unused.string() + ".done"));
  EXPECT_FALSE(fs::exists(failed));
}

TEST_F(LeftoversTest, WhatALinkLeadsToIsLeft) {
  const fs::path shared = make("shared", 0);
  const fs::path link = make("code/aaaa", 40, shared);
  remove_leftovers(folder_, runtime());
  EXPECT_FALSE(fs::exists(fs::symlink_status(link)));
  EXPECT_TRUE(fs::exists(shared / "file"));
}

TEST_F(LeftoversTest, ResultsThatAreWrittenDeepInsideCount) {
  const fs::path job = make("code/aaaa", 40);
  touch(job / "file", 2);
  touch(job, 40);
  remove_leftovers(folder_, runtime());
  EXPECT_TRUE(fs::exists(job));
}

TEST_F(LeftoversTest, AJobWhoseAgentWaitsIsNotOver) {
  const fs::path job = make("code/aaaa", 40);
  fs::create_directory(runtime());
  std::ofstream(runtime() + "/link-aaaa-0-xyz.lock") << "1";
  remove_leftovers(folder_, runtime());
  EXPECT_TRUE(fs::exists(job));
}

TEST_F(LeftoversTest, WhatAKilledAgentLeftEmptyGoesAtOnce) {
  const fs::path empty = make("jobs/aaaa", 0);
  const fs::path output = make("jobs/bbbb", 0);
  const fs::path used = make("jobs/cccc", 0);
  make("run/link-cccc-0-x.sock", 0);
  for (const fs::path& each : {empty, used}) {
    fs::remove(each / "file");
    fs::create_directory(each / "attempt-1");
    std::ofstream(each / "attempt-1" / "worker-0.out");
  }
  remove_leftovers(folder_, runtime());
  EXPECT_FALSE(fs::exists(empty));
  EXPECT_TRUE(fs::exists(output));
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(LeftoversTest, AFolderThatIsNotThereIsNoTrouble) { remove_leftovers(folder_ + "/none", runtime()); }

}  // namespace
}  // namespace muster
