// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/state_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/client/connect/paths.h"

namespace muster {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A folder in which nobody, root included, can create a folder.
const std::string kReadOnly = "/proc/self";

class StatePlaces : public testing::Test {
 protected:
  StatePlaces() {
    char name[] = "/tmp/place-XXXXXX";
    folder_ = mkdtemp(name);
    private_ = folder_ + "/muster-state-" + std::to_string(geteuid());
  }
  ~StatePlaces() override { std::filesystem::remove_all(folder_); }

  StatePlace place_with(const std::map<std::string, std::string>& environment) {
    caller_.environment = environment;
    const auto place = state_place(caller_);
    EXPECT_TRUE(place.ok()) << place.status().message();
    return *place;
  }

  std::string folder_;
  std::string private_;  // the folder below folder_ if it is TMPDIR
  CallerContext caller_;
};

TEST_F(StatePlaces, HomeCanBeWritten_IsBelowHomeWithoutAWord) {
  EXPECT_THAT(place_with({{"HOME", folder_}}).path, StartsWith(folder_ + "/.local/state/muster/"));
  EXPECT_EQ(state_remark(caller_), "");
}

TEST_F(StatePlaces, HomeCannotBeWritten_IsInTheNextXdgFolder) {
  const StatePlace place = place_with({{"HOME", kReadOnly}, {"XDG_CACHE_HOME", folder_}, {"TMPDIR", folder_}});
  EXPECT_THAT(place.path, StartsWith(folder_ + "/muster/state/"));
  EXPECT_FALSE(place.for_others);
  EXPECT_EQ(place.instead, "/proc/self (HOME) cannot be written");
}

TEST_F(StatePlaces, HomeIsNotSet_IsAPrivateFolderInTmpdir) {
  EXPECT_EQ(place_with({{"TMPDIR", folder_}}).path, private_);
  EXPECT_EQ(state_remark(caller_), "jobs are kept in " + private_ +
                                       ", because HOME is not set; set MUSTER_STATE_DIR to choose another folder\n");
  ASSERT_TRUE(wire_paths(caller_).ok());
  struct stat info {};
  ASSERT_EQ(stat(private_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

TEST_F(StatePlaces, TheFolderInTmpdirWasOpenToOthers_IsMadePrivate) {
  std::filesystem::create_directory(private_);
  ASSERT_EQ(chmod(private_.c_str(), 0777), 0);
  caller_.environment = {{"TMPDIR", folder_}};
  ASSERT_TRUE(wire_paths(caller_).ok());
  struct stat info {};
  ASSERT_EQ(stat(private_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

TEST_F(StatePlaces, SomethingElseIsInTmpdir_IsBesideTheSockets) {
  std::filesystem::create_directory_symlink(folder_, private_);
  const StatePlace place = place_with({{"TMPDIR", folder_}});
  EXPECT_EQ(place.path, "/tmp/muster-" + std::to_string(geteuid()) + "/state");
  EXPECT_TRUE(place.for_others);
  EXPECT_THAT(place_with({{"HOME", kReadOnly}, {"TMPDIR", kReadOnly}}).instead, HasSubstr("(HOME) cannot be written"));
}

TEST_F(StatePlaces, FolderIsNamedByTheUser_NothingReplacesIt) {
  EXPECT_EQ(place_with({{"MUSTER_STATE_DIR", kReadOnly}, {"HOME", folder_}}).path, kReadOnly);
  caller_.environment["MUSTER_STATE_DIR"] = "relative";
  EXPECT_EQ(state_place(caller_).status().code(), Code::invalid_argument);
  EXPECT_EQ(state_remark(caller_), "");
}

}  // namespace
}  // namespace muster
