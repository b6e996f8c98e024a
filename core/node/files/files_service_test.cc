// SPDX-License-Identifier: Apache-2.0
#include "core/node/files/files_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FilesServiceTest : public testing::Test {
 protected:
  FilesServiceTest() {
    char name[] = "/tmp/muster-test-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  ~FilesServiceTest() override { std::filesystem::remove_all(folder_); }

  void start(const std::string& folder) {
    DesiredState desired;
    desired.run = true;
    desired.files = {{"HOSTS", "[1]"}};
    ServiceEvents events;
    events.ready = [this] { said_.push_back("ready"); };
    events.failed = [this](const std::string& why) { said_.push_back(why); };
    const auto ranks = [&] {
      std::vector<SpawnRequest> list(1);
      if (!folder.empty()) list[0].stdout_path = folder + "/worker-0.out";
      return list;
    };
    service_.start({Bind(), desired, NodePorts(), ranks, {}}, events);
  }

  FilesService service_;
  std::string folder_;
  std::vector<std::string> said_;
};

TEST_F(FilesServiceTest, AFile_IsThereForTheAttemptOnly) {
  start(folder_);
  EXPECT_THAT(said_, ElementsAre("ready"));
  const std::string path = service_.gift(0).environment.at("HOSTS");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "[1]");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  service_.stop();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(service_.gift(0).environment.empty());
}

TEST_F(FilesServiceTest, AFolderThatIsGone_IsAFailure) {
  start(folder_ + "/gone");
  EXPECT_THAT(said_, ElementsAre("cannot write " + folder_ + "/gone/worker-0.out.HOSTS: No such file or directory"));
}

TEST_F(FilesServiceTest, AFullDisk_LeavesNoFile) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{2, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  start(folder_);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_THAT(said_[0], HasSubstr("cannot write " + folder_ + "/worker-0.out.HOSTS: "));
  EXPECT_THAT(said_[0], HasSubstr("File too large"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(FilesServiceTest, WithoutAFolderForOutput_NothingIsWritten) {
  start("");
  EXPECT_THAT(said_, ElementsAre("cannot write HOSTS: the folder of the ranks' output cannot be used"));
}

}  // namespace
}  // namespace muster
