#include "launcher/tree/leftovers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

class LeftoversTest : public testing::Test {
 protected:
  LeftoversTest() {
    char name[] = "/tmp/muster-leftovers-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~LeftoversTest() override { fs::remove_all(folder_); }

  // A folder with a file, or a link, that was touched so many days ago.
  fs::path make(const std::string& name, int days, const std::string& link = "") const {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    if (link.empty()) {
      fs::create_directory(path);
      std::ofstream(path / "file") << "x";
    } else {
      fs::create_symlink(link, path);
    }
    const timespec then{time(nullptr) - days * 24 * 3600, 0};
    const timespec times[2] = {then, then};
    utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
    return path;
  }

  std::string folder_;
};

TEST_F(LeftoversTest, WhatIsOldGoesAndWhatIsNewStays) {
  const fs::path old = make("code/aaaa", 9);
  const fs::path young = make("code/bbbb", 3);
  const fs::path output = make("jobs/aaaa", 9);
  const fs::path build = make("bin/0123", 90);
  remove_leftovers(folder_);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(output));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(build)) << "builds have rules of their own";
}

TEST_F(LeftoversTest, WhatALinkLeadsToIsLeft) {
  const fs::path shared = make("shared", 0);
  const fs::path link = make("code/aaaa", 9, shared);
  remove_leftovers(folder_);
  EXPECT_FALSE(fs::exists(fs::symlink_status(link)));
  EXPECT_TRUE(fs::exists(shared / "file"));
}

TEST_F(LeftoversTest, AFolderThatIsNotThereIsNoTrouble) { remove_leftovers(folder_ + "/none"); }

}  // namespace
}  // namespace muster
