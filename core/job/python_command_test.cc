// SPDX-License-Identifier: Apache-2.0
#include "core/job/python_command.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Words = std::vector<std::string>;

TEST(PythonCommand, AScriptIsTheFirstWordThatIsNoFlag) {
  const auto found = python_command({"/usr/bin/python3.11", "-u", "-Xdev", "-W", "ignore", "train.py", "-m", "x"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, PythonCommand::Kind::script);
  EXPECT_EQ(found->program, "train.py");
  EXPECT_EQ(found->interpreter, (Words{"/usr/bin/python3.11", "-u", "-Xdev", "-W", "ignore"}));
  EXPECT_EQ(found->arguments, 6u);
  EXPECT_TRUE(found->customized);
}

TEST(PythonCommand, AModuleOrCodeMayStandInItsOwnWordOrInTheNext) {
  EXPECT_EQ(python_command({"python", "-m", "pkg.train", "a"})->program, "pkg.train");
  EXPECT_EQ(python_command({"python", "-m", "pkg.train", "a"})->arguments, 3u);
  EXPECT_EQ(python_command({"python", "-umpkg.train", "a"})->program, "pkg.train");
  EXPECT_EQ(python_command({"python", "-umpkg.train", "a"})->kind, PythonCommand::Kind::module);
  EXPECT_EQ(python_command({"python", "-cprint(1)"})->program, "print(1)");
  EXPECT_EQ(python_command({"python", "-c", "print(1)", "b"})->kind, PythonCommand::Kind::code);
}

TEST(PythonCommand, WhatDoesWithoutSiteIsSaid) {
  for (const char* flag : {"-E", "-I", "-S", "-i", "-uI"}) {
    EXPECT_FALSE(python_command({"python", flag, "a.py"})->customized) << flag;
  }
  EXPECT_TRUE(python_command({"python", "-sBOP", "a.py"})->customized);
  EXPECT_TRUE(python_command({"python", "--check-hash-based-pycs", "never", "a.py"})->customized);
}

TEST(PythonCommand, IsNothingWithoutAProgram) {
  EXPECT_FALSE(python_command({}));
  EXPECT_FALSE(python_command({"python"}));
  EXPECT_FALSE(python_command({"python", "-"}));
  EXPECT_FALSE(python_command({"python", "-m"}));
  EXPECT_FALSE(python_command({"python", "-W"}));
  EXPECT_FALSE(python_command({"bash", "-c", "python a.py"}));
  EXPECT_FALSE(python_command({"./train.py"}));
}

TEST(PythonCommand, ArgumentsOfTheProgramBeginAfterIt) {
  EXPECT_TRUE(is_python({"train.py"}));
  EXPECT_FALSE(is_python({"./train"}));
  EXPECT_EQ(first_argument({"python3", "-u", "-W", "ignore", "train.py", "-m"}), 5u);
  EXPECT_EQ(first_argument({"/usr/bin/python3.11", "-m", "pkg.train", "x"}), 3u);
  EXPECT_EQ(first_argument({"python", "-c", "print()"}), 3u);
  EXPECT_EQ(first_argument({"python", "-m"}), 2u);
  EXPECT_EQ(first_argument({"./train.py", "x"}), 1u);
  EXPECT_EQ(first_argument({}), 0u);
}

}  // namespace
}  // namespace muster
