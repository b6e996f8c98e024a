// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/tree_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr TreeLimits kRoomy{1 << 20, 1000};

class TreeFilesTest : public testing::Test {
 protected:
  TreeFilesTest() {
    char name[] = "/tmp/muster-tree-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~TreeFilesTest() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text = "x") const {
    fs::create_directories((fs::path(folder_) / path).parent_path());
    std::ofstream(fs::path(folder_) / path) << text;
  }
  static std::optional<GitFiles> no_git(const std::string&) { return std::nullopt; }
  std::vector<std::string> listed(const AskGit& ask = no_git) const {
    const auto files = list_tree(folder_, ask, kRoomy);
    EXPECT_TRUE(files.ok()) << files.status().message();
    return files.ok() ? files->paths : std::vector<std::string>();
  }

  std::string folder_;
};

TEST_F(TreeFilesTest, EverythingTravelsButWhatIsIgnored) {
  write("train.py");
  write("src/a.py");
  write("src/a.pyc");
  write("data/big.bin");
  write(".git/HEAD");
  write("sub/.git");
  write(".gitignore", "*.pyc\n/data/\n");
  EXPECT_THAT(listed(), ElementsAre(".gitignore", "src", "src/a.py", "sub", "train.py"));
}

TEST_F(TreeFilesTest, AFoldersOwnRulesCount) {
  write("a/.gitignore", "*\n!.gitignore\n");
  write("a/b/c");
  write("d");
  EXPECT_THAT(listed(), ElementsAre("a", "a/.gitignore", "d"));
}

TEST_F(TreeFilesTest, Listed_FileThatGitTracks_TravelsEvenIfIgnored) {
  const auto git = [](const std::string&) { return GitFiles{{"out/known.txt"}, {"out"}}; };
  write("out/known.txt");
  write("out/junk.txt");
  EXPECT_THAT(listed(git), ElementsAre("out", "out/known.txt"));
  write(".musterignore", "known.txt\n");
  EXPECT_THAT(listed(git), ElementsAre(".musterignore", "out"));
}

TEST_F(TreeFilesTest, Listed_NoGit_RulesAboveTheFolderCount) {
  write(".git/info/exclude", "private\n");
  write(".gitignore", "*.ckpt\n/a/job/data\n");
  write("a/.gitignore", "!kept.ckpt\n");
  for (const char* name : {"a.py", "a.ckpt", "kept.ckpt", "private", "data/big"}) write("a/job/" + std::string(name));
  const auto files = list_tree(folder_ + "/a/job", no_git, kRoomy);
  ASSERT_TRUE(files.ok()) << files.status().message();
  EXPECT_THAT(files->paths, ElementsAre("a.py", "kept.ckpt"));
}

TEST_F(TreeFilesTest, Listed_GitAnswers_ItsAnswerReplacesTheRuleFiles) {
  write(".gitignore", "a\n");
  write("a");
  write("b");
  EXPECT_THAT(listed([](const std::string&) { return GitFiles{{}, {"b"}}; }), ElementsAre(".gitignore", "a"));
}

TEST_F(TreeFilesTest, Listed_RepositoryBelow_IsAskedForItself) {
  write("sub/.git/HEAD");
  write("sub/data/big");
  write("sub/a.py");
  write("sub/known");
  const auto git = [&](const std::string& folder) {
    return folder == folder_ + "/sub" ? GitFiles{{"known"}, {"data", "known"}} : GitFiles{};
  };
  EXPECT_THAT(listed(git), ElementsAre("sub", "sub/a.py", "sub/known"));
}

TEST_F(TreeFilesTest, Listed_FolderIgnoredByTheRepositoryAbove_TravelsByItsOwnRules) {
  write(".git/HEAD");
  write(".gitignore", "*\n");
  write("project/.gitignore", "*.ckpt\n");
  write("project/train.py");
  write("project/a.ckpt");
  const auto git = [](const std::string&) { return GitFiles{{}, {}, true}; };
  for (const AskGit& ask : {AskGit(git), AskGit(no_git)}) {
    const auto files = list_tree(folder_ + "/project", ask, kRoomy);
    ASSERT_TRUE(files.ok()) << files.status().message();
    EXPECT_THAT(files->paths, ElementsAre(".gitignore", "train.py"));
  }
}

TEST_F(TreeFilesTest, LinksTravelAsLinksAndPipesNot) {
  fs::create_directory_symlink("/", fs::path(folder_) / "root");
  mkfifo((folder_ + "/pipe").c_str(), 0600);
  fs::create_directory(fs::path(folder_) / "empty");
  EXPECT_THAT(listed(), ElementsAre("empty", "root"));
}

TEST_F(TreeFilesTest, APipeByTheNameOfRulesHasNone) {
  mkfifo((folder_ + "/.gitignore").c_str(), 0600);
  fs::create_symlink("/dev/zero", fs::path(folder_) / ".musterignore");
  write("a");
  EXPECT_THAT(listed(), ElementsAre(".musterignore", "a"));
}

TEST_F(TreeFilesTest, TooMuchIsRefusedWithTheLargest) {
  write("small", "12");
  write("data/large", std::string(2000, 'x'));
  const auto refused = list_tree(folder_, no_git, {1500, 1000});
  EXPECT_EQ(refused.status().code(), Code::resource_exhausted);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("2 KiB, more than the limit of 1.5 KiB; the largest files: data/large"));
  EXPECT_EQ(list_tree(folder_, no_git, {5000, 2}).status().code(), Code::resource_exhausted);
}

TEST_F(TreeFilesTest, AFolderThatIsNotThereIsSaid) {
  EXPECT_THAT(list_tree(folder_ + "/none", no_git, kRoomy).status().message(), HasSubstr("/none cannot be read"));
}

}  // namespace
}  // namespace muster
