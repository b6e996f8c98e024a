// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;

TEST(ShellWords, Commands_OfAScript_AreItsSimpleCommands) {
  const auto commands = shell_commands(
      "#!/bin/bash\nset -e  # comment\ncd \"my folder\" && python3 -u \\\n  train.py --lr 'a b' 2>&1 | tee >log\n"
      "if [ -f x ]; then exec ./y.sh; fi\n");
  ASSERT_EQ(commands.size(), 6u);
  EXPECT_THAT(commands[0], ElementsAre("set", "-e"));
  EXPECT_THAT(commands[1], ElementsAre("cd", "my folder"));
  EXPECT_THAT(commands[2], ElementsAre("python3", "-u", "train.py", "--lr", "a b"));
  EXPECT_THAT(commands[3], ElementsAre("tee"));
  EXPECT_THAT(commands[4], ElementsAre("[", "-f", "x", "]"));
  EXPECT_THAT(commands[5], ElementsAre("exec", "./y.sh"));
}

TEST(ShellWords, Variables_AssignedBefore_AreReplaced) {
  const auto commands = shell_commands("export PY=python3\nDIR=src\nX=1 $PY \"${DIR}/train.py\" $OTHER \"$@\"\n");
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_THAT(commands[0], ElementsAre("python3", "src/train.py", "$OTHER", "$@"));
}

TEST(ShellWords, Substitutions_StayInTheirWord_AndTheirCommandsCount) {
  const auto commands = shell_commands("HERE=$(cd \"$(dirname \"$0\")\" && pwd)\npython3 $HERE/train.py\n");
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_THAT(commands[0], ElementsAre("dirname", "$0"));
  EXPECT_THAT(commands[1], ElementsAre("cd", "$(dirname \"$0\")"));
  EXPECT_THAT(commands[3], ElementsAre("python3", "$(cd \"$(dirname \"$0\")\" && pwd)/train.py"));
}

TEST(ShellWords, UnfinishedText_IsReadToItsEnd) {
  EXPECT_TRUE(shell_commands("").empty());
  EXPECT_THAT(shell_commands("echo 'open").at(0), ElementsAre("echo", "open"));
  EXPECT_THAT(shell_commands("echo \"open $").at(0), ElementsAre("echo", "open $"));
  EXPECT_THAT(shell_commands("echo \\").at(0), ElementsAre("echo"));
}

}  // namespace
}  // namespace muster
