// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

// ROOT/home/mia is a link to ROOT/export/7/mia, as an automounter makes it.
class JobFolderTest : public testing::Test {
 protected:
  JobFolderTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-folder-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    fs::create_directories(root_ / "export/7/mia/src");
    fs::create_directories(root_ / "export/7/shared");
    fs::create_directories(root_ / "home");
    fs::create_directory_symlink(root_ / "export/7/mia", root_ / "home/mia");
    here_.workdir = root_ / "export/7/mia";
    here_.environment["PWD"] = root_ / "home/mia";
  }
  ~JobFolderTest() override { fs::remove_all(root_); }

  std::string of(const std::string& base, const std::string& workdir) const {
    const std::string folder = job_folder(base, workdir, here_);
    return folder.starts_with(root_.string()) ? folder.substr(root_.string().size()) : folder;
  }

  fs::path root_;
  CallerContext here_;
};

TEST_F(JobFolderTest, Folder_ShellNamesTheCurrentOne_BeginsAsTheShellsName) {
  EXPECT_EQ(of("", "."), "/home/mia");
  EXPECT_EQ(of("", "src"), "/home/mia/src");
  EXPECT_EQ(of("jobs", "../src"), "/home/mia/src");
  EXPECT_EQ(of("", "absent"), "/home/mia/absent");
}

TEST_F(JobFolderTest, Folder_JobFileWithAnAbsolutePath_KeepsItsLinks) {
  here_.environment.erase("PWD");
  EXPECT_EQ(of(root_ / "home/mia/src", "."), "/home/mia/src");
}

TEST_F(JobFolderTest, Folder_AboveTheLink_IsTheOneThatTheKernelOpens) {
  EXPECT_EQ(of("", "../shared"), "/export/7/shared");
  here_.workdir = root_ / "export/7/mia/src";
  here_.environment["PWD"] = root_ / "home/mia/src";
  EXPECT_EQ(of("", ".."), "/home/mia");
}

TEST_F(JobFolderTest, Folder_ShellNamesAnotherOne_IsTheRealOne) {
  for (const std::string& pwd : {(root_ / "home").string(), (root_ / "home/./mia").string(), std::string("home/mia")}) {
    here_.environment["PWD"] = pwd;
    EXPECT_EQ(of("", "."), "/export/7/mia") << pwd;
  }
  EXPECT_EQ(of("", "/data/"), "/data");
}

}  // namespace
}  // namespace muster
