// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/files.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

using FilesTest = TempFolderTest;

TEST_F(FilesTest, folders_are_private_and_made_with_their_parents) {
  ASSERT_TRUE(make_folders(folder_ + "/a/b/c").ok());
  ASSERT_TRUE(make_folders(folder_ + "/a/b/c").ok());
  EXPECT_EQ(mode(folder_ + "/a"), 0700u);
  EXPECT_EQ(mode(folder_ + "/a/b/c"), 0700u);
  add(folder_ + "/file", "x");
  EXPECT_FALSE(make_folders(folder_ + "/file/d").ok());
}

TEST_F(FilesTest, folders_can_be_told_to_be_unrelated) {
  const UniqueFd fd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto flags = [&fd] {
    int found = 0;
    return ::ioctl(fd.get(), FS_IOC_GETFLAGS, &found) == 0 ? found : -1;
  };
  const int before = flags();
  spread_folders(folder_);
  spread_folders(folder_);
  spread_folders(folder_ + "/none");
  const int after = flags();
  int wanted = before | FS_TOPDIR_FL;
  // Other file systems than ext4 refuse or ignore the hint.
  const bool supported = before >= 0 && ::ioctl(fd.get(), FS_IOC_SETFLAGS, &wanted) == 0 && flags() == wanted;
  EXPECT_EQ(after, supported ? wanted : before);
}

TEST_F(FilesTest, a_file_is_replaced_whole_and_private) {
  ASSERT_TRUE(replace_file(folder_, "secret", "one").ok());
  ASSERT_TRUE(replace_file(folder_, "secret", std::string(200'000, 'x')).ok());
  EXPECT_EQ(read_file(folder_ + "/secret", 1 << 20)->size(), 200'000u);
  EXPECT_EQ(mode(folder_ + "/secret"), 0600u);
  EXPECT_EQ(read_file(folder_ + "/secret", 1000).status().code(), Code::resource_exhausted);
  EXPECT_EQ(read_file(folder_ + "/none", 1000).status().code(), Code::not_found);
}

TEST_F(FilesTest, what_a_crash_left_is_in_nobodys_way) {
  add(folder_ + "/.secret.new", "half");
  ASSERT_TRUE(replace_file(folder_, "secret", "whole").ok());
  EXPECT_EQ(content(folder_ + "/secret"), "whole");
}

TEST_F(FilesTest, a_link_is_not_read_through) {
  add(folder_ + "/target", "other");
  std::filesystem::create_symlink(folder_ + "/target", folder_ + "/link");
  EXPECT_FALSE(read_file(folder_ + "/link", 1000).ok());
}

TEST_F(FilesTest, removes_a_tree_and_follows_no_link_out_of_it) {
  ASSERT_TRUE(make_folders(folder_ + "/outside/deep").ok());
  add(folder_ + "/outside/deep/kept", "x");
  ASSERT_TRUE(make_folders(folder_ + "/tree/a/b").ok());
  add(folder_ + "/tree/a/b/file", "x");
  std::filesystem::create_directory_symlink(folder_ + "/outside", folder_ + "/tree/a/link");
  std::filesystem::create_symlink("nowhere", folder_ + "/tree/dangling");
  ASSERT_TRUE(remove_tree(folder_, "tree").ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/tree"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/outside/deep/kept"));
  EXPECT_TRUE(remove_tree(folder_, "tree").ok());
  EXPECT_TRUE(remove_tree(folder_ + "/none", "tree").ok());
}

TEST_F(FilesTest, a_link_named_as_the_tree_is_removed_itself) {
  ASSERT_TRUE(make_folders(folder_ + "/outside").ok());
  std::filesystem::create_directory_symlink(folder_ + "/outside", folder_ + "/tree");
  ASSERT_TRUE(remove_tree(folder_, "tree").ok());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/outside"));
}

TEST_F(FilesTest, a_full_disk_names_the_folder_and_what_is_free) {
  const Status full = write_failure(ENOSPC, folder_);
  EXPECT_EQ(full.code(), Code::resource_exhausted);
  EXPECT_NE(full.message().find(folder_ + ": the disk is full ("), std::string::npos) << full.message();
  EXPECT_NE(full.message().find(" free of "), std::string::npos) << full.message();
  EXPECT_NE(write_failure(EDQUOT, folder_).message().find("quota"), std::string::npos);
  EXPECT_EQ(write_failure(EACCES, folder_).code(), Code::permission_denied);
}

TEST(PlainName, means_nothing_to_the_file_system) {
  EXPECT_TRUE(is_plain_name("trainer-0"));
  EXPECT_TRUE(is_plain_name("environment"));
  for (const char* name : {"", ".", "..", ".hidden", "-x", "a/b", "a b", "a\n", "ä"})
    EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_FALSE(is_plain_name(std::string(129, 'a')));
}

}  // namespace
}  // namespace muster::store
