// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/file_setup_place.h"

#include <filesystem>

#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

using Commands = std::vector<std::vector<std::string>>;

class FileSetupPlaceTest : public TempFolderTest {
 protected:
  FileSetupPlaceTest() { fs::create_directories(shared_); }

  std::string name(const std::string& identity = "as it is") { return place_.site(identity, commands_, shared_).name; }

  // Creates a job's own copy of the code.
  std::string own(const std::string& job) {
    const std::string copy = folder_ + "/code/" + job;
    fs::create_directories(copy + "/src");
    add(copy + "/src/train.py", "print()");
    return copy;
  }

  // Creates the files that the commands would create.
  void make(const SetupSite& site) {
    EXPECT_TRUE(place_.clear(site).ok());
    fs::create_directories(site.workdir + "/src");
    fs::create_directories(site.workdir + "/.venv/bin");
    add(site.workdir + "/.venv/bin/python", "");
    fs::permissions(site.workdir + "/.venv/bin/python", fs::perms::owner_all);
    add(site.workdir + "/src/train.py", "changed");
    add(site.workdir + "/src/kernel.so", "built");
    EXPECT_TRUE(place_.note_done(site).ok());
  }

  Commands commands_ = {{"pip", "install", "-r", "needs.txt"}};
  std::string shared_ = folder_ + "/work";
  FileSetupPlace place_{folder_, "a1"};
};

TEST_F(FileSetupPlaceTest, is_done_once_it_was_noted) {
  const SetupSite site = place_.site("x", commands_, shared_);
  EXPECT_EQ(site.workdir, fs::canonical(shared_));
  EXPECT_FALSE(place_.is_done(site));
  EXPECT_TRUE(place_.clear(site).ok());
  EXPECT_TRUE(place_.note_done(site).ok());
  EXPECT_TRUE(place_.is_done(site));
  EXPECT_TRUE(FileSetupPlace(folder_, "a1").is_done(site));
}

TEST_F(FileSetupPlaceTest, what_it_depends_on_makes_another) {
  const std::string before = name();
  EXPECT_EQ(name(), before);
  EXPECT_NE(name("other commands"), before);
  add(shared_ + "/needs.txt", "torch");
  const std::string with_file = name();
  EXPECT_NE(with_file, before);
  add(shared_ + "/needs.txt", "==2.1");
  EXPECT_NE(name(), with_file);
  add(shared_ + "/train.py", "print()");
  const std::string pinned = name();
  commands_ = {{"pip", "install", "--constraint=needs.txt"}};
  const std::string by_sign = name();
  EXPECT_EQ(by_sign, pinned) << "both name the one file";
  EXPECT_NE(FileSetupPlace(folder_, "a2").site("as it is", commands_, shared_).name, by_sign);
}

TEST_F(FileSetupPlaceTest, one_at_a_time_in_a_folder) {
  const SetupSite one = place_.site("one", commands_, shared_);
  const SetupSite other = FileSetupPlace(folder_, "a2").site("other", commands_, shared_);
  std::unique_ptr<MachineLease> held = place_.lock(one);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(place_.lock(other), nullptr);
  held.reset();
  EXPECT_NE(place_.lock(other), nullptr);
}

TEST_F(FileSetupPlaceTest, a_jobs_own_folder_is_set_up_beside_and_linked) {
  const SetupSite site = place_.site("x", commands_, own("first"));
  EXPECT_EQ(site.copied_from, folder_ + "/code/first");
  make(site);
  const SetupSite next = place_.site("x", commands_, own("second"));
  EXPECT_EQ(next.name, site.name);
  EXPECT_TRUE(place_.is_done(next));
  for (int times = 0; times < 2; ++times) EXPECT_TRUE(place_.link(next).ok());
  EXPECT_TRUE(place_.is_venv(folder_ + "/code/second/.venv"));
  EXPECT_EQ(content(folder_ + "/code/second/src/kernel.so"), "built");
  EXPECT_EQ(content(folder_ + "/code/second/src/train.py"), "print()");
}

TEST_F(FileSetupPlaceTest, a_copy_that_was_removed_is_not_done) {
  const SetupSite site = place_.site("x", commands_, own("first"));
  make(site);
  fs::remove_all(site.workdir);
  EXPECT_FALSE(place_.is_done(site));
  make(site);
  EXPECT_TRUE(place_.clear(site).ok());
  EXPECT_FALSE(fs::exists(site.workdir));
  EXPECT_FALSE(place_.is_done(site));
}

// A network disk that both machines mount: the code is not copied.
TEST_F(FileSetupPlaceTest, a_link_to_the_jobs_folder_is_that_folder) {
  fs::create_directories(folder_ + "/code");
  fs::create_directory_symlink(shared_, folder_ + "/code/first");
  const SetupSite site = place_.site("x", commands_, folder_ + "/code/first");
  EXPECT_EQ(site.copied_from, "");
  EXPECT_EQ(site.workdir, fs::canonical(shared_));
}

TEST_F(FileSetupPlaceTest, a_venv_has_a_python_that_runs) {
  fs::create_directories(shared_ + "/.venv/bin");
  EXPECT_FALSE(place_.is_venv(shared_ + "/.venv"));
  fs::create_symlink("/nowhere/python3", shared_ + "/.venv/bin/python");
  EXPECT_FALSE(place_.is_venv(shared_ + "/.venv"));
  fs::remove(shared_ + "/.venv/bin/python");
  fs::create_symlink("/bin/sh", shared_ + "/.venv/bin/python");
  EXPECT_TRUE(place_.is_venv(shared_ + "/.venv"));
}

}  // namespace
}  // namespace muster::store
