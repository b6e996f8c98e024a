// SPDX-License-Identifier: Apache-2.0
// Processes with a pseudo-terminal whose output file is on a full disk: a tmpfs of 64 KiB. Needs root, or a kernel that lets
// users make namespaces.
#include <sched.h>
#include <sys/mount.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

// The disk is mounted before the process host begins.
class SmallDisk {
 protected:
  explicit SmallDisk() {
    char name[] = "/tmp/muster-disk-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    disk_ = name;
    mounted_ = mount_disk() || (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && mount_disk());
  }
  ~SmallDisk() {
    if (mounted_) umount2(disk_.c_str(), MNT_DETACH);
    std::filesystem::remove_all(disk_);
  }
  bool mount_disk() const { return mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=64k,mode=0700") == 0; }

  std::string disk_;
  bool mounted_ = false;
};

class TerminalFullDiskTest : public SmallDisk, public ProcessHostTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(mounted_) << "cannot mount a tmpfs: run this test as root, or where users may make namespaces";
    std::ofstream(disk_ + "/ballast") << std::string(60 << 10, 'x');
  }

  SpawnRequest on_terminal(const std::string& script) {
    SpawnRequest request = shell(script);
    request.tty = true;
    request.stdout_path = disk_ + "/out";
    request.output_waits = [this](const std::string& why, bool missing) { told_.push_back(missing ? "missing" : why); };
    return request;
  }
  std::string stored() const {
    std::ostringstream text;
    text << std::ifstream(disk_ + "/out").rdbuf();
    return text.str();
  }
  void make_room() const { std::filesystem::remove(disk_ + "/ballast"); }

  std::vector<std::string> told_;
};

std::string numbers_to(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\r\n";
  return text;
}

TEST_F(TerminalFullDiskTest, Output_DiskFull_WaitsAndIsStoredWhenThereIsRoom) {
  start(on_terminal("seq 1 6000; echo > " + folder_ + "/printed"));
  ASSERT_TRUE(wait_for([&] { return !told_.empty(); }));
  EXPECT_NE(told_[0].find("the disk is full (0 B free"), std::string::npos) << told_[0];
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/printed")) << "the process waits too";
  make_room();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(stored(), numbers_to(6000));
  ASSERT_TRUE(wait_for([&] { return told_.size() == 2; }));
  EXPECT_EQ(told_[1], "");
}

TEST_F(TerminalFullDiskTest, Output_ProcessEndsOnAFullDisk_EndIsToldWhenAllIsStored) {
  start(on_terminal("seq 1 1500; echo > " + folder_ + "/printed"));
  ASSERT_TRUE(wait_for([&] { return !told_.empty() && std::filesystem::exists(folder_ + "/printed"); }));
  EXPECT_TRUE(ends_.empty());
  make_room();
  ASSERT_TRUE(run_until(loop_, [&] { return ends_.size() == 1; }));
  EXPECT_EQ(stored(), numbers_to(1500));
}

}  // namespace
}  // namespace muster
