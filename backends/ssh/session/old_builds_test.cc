// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/old_builds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace muster::ssh {
namespace {

namespace fs = std::filesystem;

class OldBuildsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "old-builds-XXXXXX";
    cache_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(cache_); }

  // A build whose file is `days` days old.
  std::string build(char digit, int days, const std::string& file = "muster") const {
    const std::string folder = cache_ + "/bin/" + std::string(32, digit);
    fs::create_directories(folder);
    std::ofstream(folder + "/" + file) << "x";
    fs::last_write_time(folder + "/" + file, fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
    return folder + "/" + file;
  }

  std::set<char> kept() const {
    std::set<char> digits;
    for (const auto& entry : fs::directory_iterator(cache_ + "/bin"))
      digits.insert(entry.path().filename().string()[0]);
    return digits;
  }

  std::string cache_;
};

TEST_F(OldBuildsTest, TheThreeThatWereUsedLastStayBesideOurs) {
  const std::string own = build('a', 90);
  for (int i = 1; i <= 6; ++i) build(static_cast<char>('0' + i), i + 2);
  fs::create_directories(cache_ + "/bin/mine");
  remove_old_builds(own);
  EXPECT_EQ(kept(), (std::set<char>{'a', '1', '2', '3', 'm'}));
}

TEST_F(OldBuildsTest, WhatASessionFoundThereWasUsed) {
  const std::string own = build('a', 90);
  for (int i = 1; i <= 4; ++i) build(static_cast<char>('0' + i), i + 2);
  build('9', 90);
  build('9', 0, ".used");
  remove_old_builds(own);
  EXPECT_EQ(kept(), (std::set<char>{'a', '9', '1', '2'}));
}

TEST_F(OldBuildsTest, WhatWasUsedTodayStays) {
  const std::string own = build('a', 0);
  for (int i = 1; i <= 6; ++i) build(static_cast<char>('0' + i), 0);
  remove_old_builds(own);
  EXPECT_EQ(kept().size(), 7u);
}

TEST_F(OldBuildsTest, CopiesThatWereCutOffGo) {
  const std::string own = build('a', 0);
  const std::string cut = build('a', 3, ".new-1");
  const std::string begun = build('a', 0, ".new-2");
  remove_old_builds(own);
  EXPECT_FALSE(fs::exists(cut));
  EXPECT_TRUE(fs::exists(begun));
  EXPECT_TRUE(fs::exists(own));
}

TEST_F(OldBuildsTest, AProgramThatWasInstalledByHandHasNone) {
  for (int i = 1; i <= 6; ++i) build(static_cast<char>('0' + i), 9);
  remove_old_builds(cache_ + "/bin/muster");
  remove_old_builds("/usr/bin/muster");
  EXPECT_EQ(kept().size(), 6u);
}

}  // namespace
}  // namespace muster::ssh
