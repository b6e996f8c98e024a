// SPDX-License-Identifier: Apache-2.0
// Tests with a real full disk: a tmpfs of 256 KiB. Needs root, or a kernel that lets users make namespaces.
#include <sched.h>
#include <sys/mount.h>

#include "core/system/store/file_job_store.h"
#include "core/system/store/files.h"
#include "core/system/store/output/file_output_keeper.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class FullDiskTest : public TempFolderTest {
 protected:
  void SetUp() override {
    mounted_ = mount_small_disk() || (::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && mount_small_disk());
    ASSERT_TRUE(mounted_) << "cannot mount a tmpfs: run this test as root, or where users may make namespaces";
  }
  ~FullDiskTest() override {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  bool mount_small_disk() const { return mount_disk("size=256k,mode=0700"); }
  bool mount_disk(const char* options) const { return ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options) == 0; }

  // Creates empty files until no inode is left.
  void use_up_inodes() const {
    for (int i = 0; ::access(folder_.c_str(), W_OK) == 0 && i < 100; ++i) add(folder_ + "/" + std::to_string(i), "");
  }

  // Appends up to `count` lines. Returns how many succeeded, and the first error.
  std::pair<size_t, Status> append_lines(FileJobStore& store, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Status appended = store.append(job(1), std::string(1000, static_cast<char>('a' + i % 26)), true);
      if (!appended.ok()) return {i, appended};
    }
    return {count, Status()};
  }

  bool mounted_ = false;
};

TEST_F(FullDiskTest, refuses_with_a_sentence_and_goes_on_when_there_is_room) {
  auto store = FileJobStore::open(folder_);
  ASSERT_TRUE(store.ok()) << store.status().message();
  ASSERT_TRUE((*store)->create({job(1), "train", "queued", TimePoint(), TimePoint(), "key"}).ok());
  add(folder_ + "/ballast", std::string(100'000, 'x'));
  const auto [written, refused] = append_lines(**store, 1000);
  EXPECT_EQ(refused.code(), Code::resource_exhausted) << refused.message();
  EXPECT_NE(refused.message().find("the disk is full ("), std::string::npos) << refused.message();
  EXPECT_EQ((*store)->read(job(1))->size(), written);
  EXPECT_EQ((*store)->write_private(job(1), "environment", std::string(100'000, 'x')).code(), Code::resource_exhausted);
  add(folder_ + "/rest", std::string(1 << 20, 'x'));  // the refused line left some space
  EXPECT_EQ((*store)->create({job(2), "two", "queued", TimePoint(), TimePoint(), ""}).code(), Code::resource_exhausted);
  EXPECT_EQ((*store)->list().size(), 1u);
  std::filesystem::remove(folder_ + "/ballast");
  std::filesystem::remove(folder_ + "/rest");
  ASSERT_TRUE((*store)->append(job(1), "after", true).ok());
  const std::vector<std::string> lines = *(*store)->read(job(1));
  ASSERT_EQ(lines.size(), written + 1);
  EXPECT_EQ(lines.back(), "after");
  EXPECT_TRUE((*store)->create({job(2), "two", "queued", TimePoint(), TimePoint(), ""}).ok());
  EXPECT_EQ((*store)->list().size(), 2u);
}

TEST_F(FullDiskTest, AppendLast_DiskFull_FitsIntoTheReserve) {
  auto store = FileJobStore::open(folder_);
  ASSERT_TRUE((*store)->create({job(1), "train", "queued", TimePoint(), TimePoint(), "key"}).ok());
  ASSERT_TRUE((*store)->write_private(job(1), "environment", "HOME=/").ok());
  ASSERT_TRUE((*store)->append(job(1), "submitted", true).ok());
  add(folder_ + "/ballast", std::string(1 << 20, 'x'));
  append_lines(**store, 100);  // until one is refused
  EXPECT_EQ((*store)->append(job(1), std::string(20'000, 'x'), true).code(), Code::resource_exhausted);
  const std::string last(30'000, 'x');
  EXPECT_TRUE((*store)->append_last(job(1), last, false).ok());
  EXPECT_TRUE((*store)->append_last(job(1), "the end", true).ok());
  EXPECT_EQ((*store)->read(job(1))->back(), "the end");
  (*store)->release_reserve(job(1));
  EXPECT_TRUE((*store)->write_private(job(1), "environment", "").ok());
  EXPECT_EQ(content((*store)->folder(job(1)) + "/environment"), "");
  EXPECT_TRUE((*store)->update({job(1), "train", "succeeded", TimePoint(), TimePoint(Duration(1)), "key"}).ok());
}

TEST_F(FullDiskTest, AppendLast_JournalOpenedAgain_KeepsTheReserve) {
  auto store = FileJobStore::open(folder_);
  ASSERT_TRUE((*store)->create({job(1), "train", "queued", TimePoint(), TimePoint(), "key"}).ok());
  ASSERT_TRUE((*store)->append(job(1), "submitted", true).ok());
  add(folder_ + "/ballast", std::string(1 << 20, 'x'));
  store = FileJobStore::open(folder_);  // the next controller
  ASSERT_TRUE((*store)->own(job(1)));
  append_lines(**store, 100);
  EXPECT_TRUE((*store)->append_last(job(1), std::string(60'000, 'x'), true).ok());
}

TEST_F(FullDiskTest, Create_NoInodesLeft_NamesThem) {
  ASSERT_TRUE(mount_disk("size=256k,mode=0700,nr_inodes=20"));  // over the other
  use_up_inodes();
  FileOutputKeeper keeper;
  const std::string file = folder_ + "/jobs/one/attempt-2/trainer-0.out";
  const Status refused = keeper.create(file);
  EXPECT_EQ(refused.code(), Code::resource_exhausted);
  EXPECT_NE(refused.message().find("no inodes are left on the disk"), std::string::npos) << refused.message();
  EXPECT_EQ(refused.message().find("full"), std::string::npos) << refused.message();
  for (int i = 0; i < 4; ++i) std::filesystem::remove(folder_ + "/" + std::to_string(i));
  ASSERT_TRUE(keeper.create(file).ok());
  EXPECT_EQ(mode(file), 0600u);
  ::umount2(folder_.c_str(), MNT_DETACH);
}

TEST_F(FullDiskTest, Append_AttemptFolderMissing_CreatedUnlessTheJobIsRemoved) {
  FileOutputKeeper keeper;
  ASSERT_TRUE(make_folders(folder_ + "/jobs/one").ok());
  EXPECT_TRUE(keeper.append(folder_ + "/jobs/one/attempt-2/trainer-0.out", "text").ok());
  EXPECT_FALSE(keeper.append(folder_ + "/jobs/removed/attempt-2/trainer-0.out", "text").ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/jobs/removed"));
}

TEST_F(FullDiskTest, Room_AnOpenBlockOfAFullDisk_IsNone) {
  const std::string file = folder_ + "/trainer-0.times";
  FileOutputKeeper keeper;
  ASSERT_TRUE(keeper.append(file, "one").ok());
  EXPECT_TRUE(keeper.room(file).ok());
  add(folder_ + "/ballast", std::string(1 << 20, 'x'));
  EXPECT_TRUE(keeper.append(file, "two").ok());  // into the block that it has
  EXPECT_EQ(keeper.room(file).code(), Code::resource_exhausted);
}

TEST_F(FullDiskTest, dropping_old_output_makes_room) {
  const std::string file = folder_ + "/trainer-0.out";
  add(file, std::string(1 << 20, 'x'));  // fills the disk
  FileOutputKeeper keeper;
  ASSERT_EQ(keeper.append(file, "more").code(), Code::resource_exhausted);
  ASSERT_TRUE(keeper.drop_before(file, 128 * 1024).ok());
  EXPECT_TRUE(keeper.append(file, "more").ok());
}

}  // namespace
}  // namespace muster::store
