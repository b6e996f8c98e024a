// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/rank_logs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/client/follow/follow_fakes.h"

namespace muster {
namespace {

class RankLogsTest : public testing::Test {
 protected:
  RankLogsTest() {
    std::string path = testing::TempDir() + "logsXXXXXX";
    folder_ = mkdtemp(path.data());
  }
  ~RankLogsTest() override { std::filesystem::remove_all(folder_); }

  std::string text(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  bool there(const std::string& name) const { return std::filesystem::exists(folder_ + "/" + name); }

  std::string folder_;
};

TEST_F(RankLogsTest, AreLaidOutAsTorchrunsAre) {
  RankLogs logs(folder_, "0:3,1:2", 2);
  logs.begin(1);
  EXPECT_TRUE(there("attempt_0/0/stdout.log"));
  EXPECT_FALSE(there("attempt_0/1/stdout.log"));
  logs.add(chunk_of(0, 0, "a\0\r"));
  logs.add(chunk_of(1, 0, "dropped"));
  logs.add(chunk_of(1, 0, "e", 1, OutputStream::err));
  logs.add(chunk_of(0, 0, "again", 2));
  EXPECT_EQ(text("attempt_0/0/stdout.log"), "a\0\r");
  EXPECT_EQ(text("attempt_0/1/stderr.log"), "e");
  EXPECT_EQ(text("attempt_1/0/stdout.log"), "again");
  EXPECT_EQ(logs.trouble(), "");
}

TEST_F(RankLogsTest, WithoutAFolderNothingIsWritten) {
  RankLogs logs("", "3", 2);
  logs.add(chunk_of(0, 0, "x"));
  EXPECT_EQ(logs.folder_of(1, 0), "");
}

TEST_F(RankLogsTest, AFolderThatWentAwayIsSaidOnce) {
  RankLogs logs(folder_ + "/file/below", "3", 1);
  std::ofstream(folder_ + "/file") << "x";
  logs.add(chunk_of(0, 0, "x"));
  EXPECT_NE(logs.trouble(), "");
}

}  // namespace
}  // namespace muster
