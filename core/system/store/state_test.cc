// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/store/state_lock.h"
#include "core/system/store/state_root.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

TEST(StateRoot, the_first_that_is_set) {
  EXPECT_EQ(*state_root({{"MUSTER_STATE_DIR", "/s/"}, {"HOME", "/home/u"}}, "m"), "/s");
  EXPECT_EQ(*state_root({{"XDG_STATE_HOME", "/x"}, {"HOME", "/home/u"}}, "0123abcd\n"), "/x/muster/0123abcd");
  EXPECT_EQ(*state_root({{"XDG_STATE_HOME", "relative"}, {"HOME", "/home/u"}}, "m"), "/home/u/.local/state/muster/m");
  EXPECT_EQ(*state_root({{"MUSTER_STATE_DIR", ""}, {"HOME", "/home/u/"}}, "m"), "/home/u/.local/state/muster/m");
}

TEST(StateRoot, says_what_to_set) {
  EXPECT_EQ(state_root({{"MUSTER_STATE_DIR", "here"}}, "m").status().code(), Code::invalid_argument);
  const Status none = state_root({}, "m").status();
  EXPECT_EQ(none.code(), Code::invalid_argument);
  EXPECT_NE(none.message().find("HOME"), std::string::npos);
}

TEST(StateRoot, the_machine_is_one_path_element) {
  EXPECT_EQ(*state_root({{"XDG_STATE_HOME", "/x"}}, "../../etc"), "/x/muster/etc");
  EXPECT_EQ(*state_root({{"XDG_STATE_HOME", "/x"}}, "node-1.example.org"), "/x/muster/node-1.example.org");
  EXPECT_EQ(*state_root({{"XDG_STATE_HOME", "/x"}}, " \n"), "/x/muster/machine");
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
