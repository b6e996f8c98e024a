// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/runtime_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using RuntimeFolderTest = FolderTest;

TEST_F(RuntimeFolderTest, IsOneWhateverTheSession) {
  const std::string place = "/tmp/muster-" + std::to_string(geteuid());
  const bool was_there = std::filesystem::exists(place);
  const auto folder = runtime_folder();
  ASSERT_TRUE(folder.ok()) << folder.status().message();
  EXPECT_EQ(*folder, place);
  struct stat info {};
  ASSERT_EQ(stat(folder->c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  if (!was_there) rmdir(folder->c_str());  // fails if another process uses it
}

TEST_F(RuntimeFolderTest, LinksFilesAndOthersFoldersAreRefused) {
  std::filesystem::create_directory(folder_ + "/real");
  std::filesystem::create_directory_symlink(folder_ + "/real", folder_ + "/link");
  EXPECT_EQ(make_private_folder(folder_ + "/link").code(), Code::failed_precondition);
  std::ofstream(folder_ + "/file") << "";
  EXPECT_EQ(make_private_folder(folder_ + "/file").code(), Code::failed_precondition);
  const Status others = make_private_folder(geteuid() == 0 ? folder_ + "/given" : "/usr");
  if (geteuid() != 0) {
    EXPECT_EQ(others.message(), "/usr belongs to user 0; sockets there would not be safe: remove it");
  }
}

TEST_F(RuntimeFolderTest, AnOpenOneIsClosed) {
  std::filesystem::create_directory(folder_ + "/open");
  chmod((folder_ + "/open").c_str(), 0777);
  EXPECT_TRUE(make_private_folder(folder_ + "/open").ok());
  struct stat info {};
  ASSERT_EQ(stat((folder_ + "/open").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

}  // namespace
}  // namespace muster
