// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/paths.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/unix_socket.h"
#include "core/system/linux/proc_files.h"
#include "core/system/posix/unique_fd.h"

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
  const std::string own = "agent-" + process_key(41);
  const std::string other = "agent-" + process_key(411);
  for (const std::string& name : {own + ".sock", own + "-1-0.torch", other + ".sock", other + "-1-0.torch"}) make(name);
  remove_worker_sockets(folder_ + "/dialled.sock", 41);
  EXPECT_THAT(left(), testing::UnorderedElementsAre(other + ".sock", other + "-1-0.torch"));
}

TEST_F(Paths, WhereTheFolderIsGoneThereIsNothing) {
  remove_worker_sockets(folder_ + "/none/dialled.sock", 41);
  EXPECT_TRUE(standalone_sockets(folder_ + "/none").empty());
  EXPECT_TRUE(stale_sockets(folder_ + "/none").empty());
}

// The keys of processes that have ended, or that this pid namespace does not have.
TEST_F(Paths, StaleSockets_OwnerIsUnknownHere_OnlyUnusedFilesAreRemoved) {
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  waitpid(ended, nullptr, 0);
  for (const std::string& key : {process_key(ended), std::to_string(ended), std::to_string(getpid()) + "-7"}) {
    const std::string socket = folder_ + "/agent-" + key + ".sock";
    const std::string pipe = folder_ + "/timers-" + key;
    const std::string folder = folder_ + "/warm-" + key;
    UniqueFd listener(listen_unix(socket, 1));
    mkfifo(pipe.c_str(), 0600);
    UniqueFd reader(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
    mkdir(folder.c_str(), 0700);
    UniqueFd lock(open(folder.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(flock(lock.get(), LOCK_SH), 0);
    EXPECT_THAT(stale_sockets(folder_), testing::IsEmpty()) << key;
    for (UniqueFd* used : {&listener, &reader, &lock}) used->reset();
    EXPECT_THAT(stale_sockets(folder_), testing::UnorderedElementsAre(socket, pipe, folder)) << key;
    remove_stale_sockets(folder_);
    EXPECT_THAT(left(), testing::IsEmpty());
  }
}

TEST_F(Paths, StaleSockets_OwnerRuns_AreKept) {
  make("agent-" + process_key(getpid()) + ".sock");
  make("standalone-" + std::to_string(getpid()) + ".sock");
  make("agent-none.sock");
  EXPECT_THAT(stale_sockets(folder_), testing::IsEmpty());
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
