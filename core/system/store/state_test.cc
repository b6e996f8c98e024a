// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/system/store/state_lock.h"
#include "core/system/store/state_root.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

using testing::ElementsAre;

using Variables = std::map<std::string, std::string>;

std::vector<std::string> paths(const Variables& environment, std::string_view machine) {
  std::vector<std::string> paths;
  const auto candidates = state_candidates(environment, machine, 7);
  for (const StateCandidate& each : *candidates) paths.push_back(each.path);
  return paths;
}

TEST(StateCandidates, AFolderIsNamed_NoOtherIsConsidered) {
  EXPECT_THAT(paths({{"MUSTER_STATE_DIR", "/s/"}, {"HOME", "/home/u"}, {"TMPDIR", "/t"}}, "m"), ElementsAre("/s"));
  EXPECT_THAT(paths({{"MUSTER_STATE_DIR", ""}, {"HOME", "/home/u/"}}, "m"),
              ElementsAre("/home/u/.local/state/muster/m"));
  EXPECT_EQ(state_candidates({{"MUSTER_STATE_DIR", "here"}}, "m", 7).status().code(), Code::invalid_argument);
}

TEST(StateCandidates, ManyVariables_AreInTheOrderOfPreference) {
  const Variables all{
      {"TMPDIR", "/t"}, {"XDG_CACHE_HOME", "/c"}, {"XDG_DATA_HOME", "/d"}, {"HOME", "/h"}, {"XDG_STATE_HOME", "/x"}};
  EXPECT_THAT(paths(all, "0123abcd\n"),
              ElementsAre("/x/muster/0123abcd", "/h/.local/state/muster/0123abcd", "/d/muster/state/0123abcd",
                          "/c/muster/state/0123abcd", "/t/muster-state-7"));
  const auto candidates = state_candidates(all, "m", 7);
  for (const StateCandidate& each : *candidates) EXPECT_EQ(each.for_others, each.variable == "TMPDIR");
}

TEST(StateCandidates, VariableIsMissingOrRelative_GivesNone) {
  EXPECT_THAT(paths({{"XDG_STATE_HOME", "relative"}, {"HOME", "/home/u"}}, "m"),
              ElementsAre("/home/u/.local/state/muster/m"));
  EXPECT_THAT(paths({{"HOME", "/"}}, "m"), ElementsAre("/.local/state/muster/m"));
  EXPECT_THAT(paths({}, "m"), ElementsAre());
}

TEST(StateCandidates, TheMachineIsOnePathElement) {
  EXPECT_THAT(paths({{"XDG_STATE_HOME", "/x"}}, "../../etc"), ElementsAre("/x/muster/etc"));
  EXPECT_THAT(paths({{"XDG_STATE_HOME", "/x"}}, "node-1.example.org"), ElementsAre("/x/muster/node-1.example.org"));
  EXPECT_THAT(paths({{"XDG_STATE_HOME", "/x"}}, " \n"), ElementsAre("/x/muster/machine"));
}

using StateLockTest = TempFolderTest;

TEST_F(StateLockTest, one_holder_and_the_other_is_told_who) {
  const std::string root = folder_ + "/state";
  {
    const Result<StateLock> held = StateLock::take(root);
    ASSERT_TRUE(held.ok()) << held.status().message();
    const Result<StateLock> refused = StateLock::take(root);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), Code::failed_precondition);
    EXPECT_NE(refused.status().message().find("(pid " + std::to_string(getpid()) + ")"), std::string::npos)
        << refused.status().message();
  }
  EXPECT_TRUE(StateLock::take(root).ok());
}

TEST_F(StateLockTest, Take_LockFileOfTheHolderWasDeleted_IsRefused) {
  Result<StateLock> held = StateLock::take(folder_);
  ASSERT_TRUE(held.ok());
  unlink((folder_ + "/lock").c_str());
  EXPECT_EQ(StateLock::take(folder_).status().code(), Code::failed_precondition);
  EXPECT_EQ(lock_holder(folder_), "");
  EXPECT_TRUE(held->renew().ok());
  EXPECT_EQ(lock_holder(folder_), std::to_string(getpid()));
  EXPECT_EQ(StateLock::take(folder_).status().code(), Code::failed_precondition);
}

TEST_F(StateLockTest, Renew_FolderWasDeleted_IsTakenAgain) {
  const std::string root = folder_ + "/state";
  Result<StateLock> held = StateLock::take(root);
  std::filesystem::remove_all(root);
  EXPECT_TRUE(held->renew().ok());
  EXPECT_EQ(StateLock::take(root).status().code(), Code::failed_precondition);
}

TEST_F(StateLockTest, Renew_AnotherProcessHasTakenTheLock_IsRefused) {
  const std::string root = folder_ + "/state";
  Result<StateLock> first = StateLock::take(root);
  std::filesystem::remove_all(root);
  const Result<StateLock> second = StateLock::take(root);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first->renew().code(), Code::failed_precondition);
  EXPECT_EQ(first->renew().code(), Code::failed_precondition);
}

// A file system that cannot lock folders: there, a second controller can take a new lock file.
TEST_F(StateLockTest, Renew_OnlyTheFileWasTakenByAnother_IsRefused) {
  Result<StateLock> held = StateLock::take(folder_);
  unlink((folder_ + "/lock").c_str());
  const UniqueFd theirs(open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(flock(theirs.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(held->renew().code(), Code::failed_precondition);
}

TEST_F(StateLockTest, a_holder_that_was_killed_holds_no_more) {
  const pid_t child = fork();
  if (child == 0) {
    const Result<StateLock> held = StateLock::take(folder_);
    _exit(held.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(StateLock::take(folder_).ok());
}

}  // namespace
}  // namespace muster::store
