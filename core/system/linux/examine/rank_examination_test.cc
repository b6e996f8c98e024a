// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/rank_examination.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

class RankExaminationTest : public testing::Test {
 protected:
  ~RankExaminationTest() override {
    for (const pid_t pid : ranks_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }

  // Starts a process that waits, with only these environment variables.
  pid_t start(std::vector<std::string> environment) {
    std::vector<char*> variables;
    for (std::string& variable : environment) variables.push_back(variable.data());
    variables.push_back(nullptr);
    const char* argv[] = {"/bin/sleep", "1000", nullptr};
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, argv[0], nullptr, nullptr, const_cast<char**>(argv), variables.data()), 0);
    ranks_.push_back(pid);
    // posix_spawn() returns when the new program has its memory; its environment is readable a moment later.
    for (const auto file = "/proc/" + std::to_string(pid) + "/environ"; std::ifstream(file).peek() == EOF;) {
      std::this_thread::yield();
    }
    return pid;
  }

  // "0+": a result of rank 0, and more follow.
  std::string examine() const {
    std::string told;
    examine_ranks(ranks_, [&](size_t which, const RankLocation&, bool more) {
      told += (told.empty() ? "" : " ") + std::to_string(which) + (more ? "+" : "");
    });
    return told;
  }

  static std::string made_folder() {
    char name[] = "/tmp/examined-XXXXXX";
    return mkdtemp(name);
  }

  std::string folder_ = made_folder();
  std::vector<pid_t> ranks_;
};

TEST_F(RankExaminationTest, NoRankWaitsForWhatTheNetworkSays) {
  start({"NCCL_RAS_ADDR=127.1.2.5:1", "LOCAL_RANK=0"});
  start({"NCCL_RAS_ADDR=127.1.2.5:1", "LOCAL_RANK=1"});
  EXPECT_EQ(examine(), "0+ 1+ 0+ 1 0");
}

TEST_F(RankExaminationTest, OfOneThatIsStoppedTheRecorderIsNotAsked) {
  ASSERT_EQ(mkfifo((folder_ + "/ask-0.pipe").c_str(), 0600), 0);
  const UniqueFd reads(open((folder_ + "/ask-0.pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const pid_t rank = start({"RANK=0", "TORCH_NCCL_DEBUG_INFO_PIPE_FILE=" + folder_ + "/ask-",
                            "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=" + folder_ + "/flight-"});
  kill(rank, SIGSTOP);
  ASSERT_EQ(waitpid(rank, nullptr, WUNTRACED), rank);
  EXPECT_EQ(examine(), "0+ 0");
  char byte = 0;
  EXPECT_LE(read(reads.get(), &byte, 1), 0);
}

}  // namespace
}  // namespace muster
