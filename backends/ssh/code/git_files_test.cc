// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/git_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "core/client/run_program.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class GitFilesTest : public testing::Test {
 protected:
  GitFilesTest() {
    char name[] = "/tmp/muster-git-XXXXXX";
    folder_ = mkdtemp(name);
    environment_ = {{"PATH", "/usr/bin:/bin"}, {"HOME", folder_ + "/home"}};
    fs::create_directories(folder_ + "/home");
    fs::create_directories(folder_ + "/code");
  }
  ~GitFilesTest() override { fs::remove_all(folder_); }

  void SetUp() override { git({"init", "--quiet"}); }
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), "git");
    const auto done = run_program({.argv = words, .environment = environment_, .workdir = folder_ + "/code"}, false);
    ASSERT_TRUE(done.ok() && done->exit_code == 0) << words.at(1);
  }
  void write(const std::string& path, const std::string& text = "x") const {
    fs::create_directories((fs::path(folder_) / path).parent_path());
    std::ofstream(fs::path(folder_) / path) << text;
  }
  GitFiles asked(const std::string& folder) const {
    const auto files = ask_git(folder_ + "/" + folder, environment_);
    EXPECT_TRUE(files.has_value());
    return files.value_or(GitFiles{});
  }

  std::string folder_;
  std::map<std::string, std::string> environment_;
};

TEST_F(GitFilesTest, Ignored_RulesInAnyFileOfGit_AreKnown) {
  write("code/.gitignore", "*.ckpt\n/job/data\n");
  write("code/.git/info/exclude", "private\n");
  write("home/.config/git/ignore", "*.swp\n");
  for (const char* name : {"a.py", "a.ckpt", "data/big", "private", "b.swp"}) write("code/job/" + std::string(name));
  EXPECT_THAT(asked("code/job").ignored, ElementsAre("a.ckpt", "b.swp", "data", "private"));
}

TEST_F(GitFilesTest, Tracked_FileInIgnoredFolder_IsTrackedAndItsNeighbourIgnored) {
  write("code/.gitignore", "out/\n");
  write("code/out/known");
  write("code/out/junk");
  git({"add", "--force", "out/known"});
  EXPECT_THAT(asked("code").tracked, ElementsAre("out/known"));
  EXPECT_THAT(asked("code").ignored, ElementsAre("out/junk"));
}

TEST_F(GitFilesTest, Ignored_FolderWithOnlyIgnoredFiles_IsNotIgnoredItself) {
  write("code/.gitignore", "*.ckpt\n");
  write("code/runs/a.ckpt");
  EXPECT_THAT(asked("code").ignored, ElementsAre("runs/a.ckpt"));
  EXPECT_THAT(asked("code/runs").ignored, ElementsAre("a.ckpt"));
}

TEST_F(GitFilesTest, Asked_IgnoredFolder_SaysSo) {
  write("code/.gitignore", "/scratch\n");
  write("code/scratch/new/a.py");
  EXPECT_TRUE(asked("code/scratch").itself);
  EXPECT_TRUE(asked("code/scratch/new").itself);
}

TEST_F(GitFilesTest, Asked_NoRepository_HasNoAnswer) {
  EXPECT_FALSE(ask_git(folder_ + "/home", environment_).has_value());
}

}  // namespace
}  // namespace muster
