// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

class Paths : public testing::Test {
 protected:
  Paths() {
    char name[] = "/tmp/paths-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Paths() override { std::filesystem::remove_all(folder_); }

  void make(const std::string& name) const { std::ofstream(folder_ + "/" + name).put('.'); }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  std::string folder_;
};

TEST_F(Paths, AnAgentsSocketsAreRemovedAndNoOthers) {
  for (const char* name : {"agent-41.sock", "agent-41-1-0.torch", "agent-411.sock", "agent-411-1-0.torch"}) make(name);
  remove_worker_sockets(folder_ + "/dialled.sock", 41);
  EXPECT_THAT(left(), testing::UnorderedElementsAre("agent-411.sock", "agent-411-1-0.torch"));
}

TEST_F(Paths, WhereTheFolderIsGoneThereIsNothing) {
  remove_worker_sockets(folder_ + "/none/dialled.sock", 41);
  EXPECT_TRUE(standalone_sockets(folder_ + "/none").empty());
  EXPECT_TRUE(stale_sockets(folder_ + "/none").empty());
}

TEST(LessonsFolder, ProgramIsACopyOnAHost_IsInTheCacheOfTheCopy) {
  CallerContext caller;
  caller.environment = {{"HOME", "/home/mia"}, {"MUSTER_STATE_DIR", "/state"}};
  caller.program = "/usr/bin/muster";
  EXPECT_EQ(lessons_folder(caller), "/state/imports");
  caller.program = "/home/mia/.cache/muster/bin/0123456789abcdef/muster";
  EXPECT_EQ(lessons_folder(caller), "/home/mia/.cache/muster/imports");
}

}  // namespace
}  // namespace muster
