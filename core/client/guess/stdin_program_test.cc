// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/stdin_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Result<Words> filled(const Words& command, const std::string& text, bool terminal = false) {
  return with_stdin_program(command, {terminal, [text](size_t most) { return text.substr(0, most); }});
}

TEST(StdinProgram, APythonProgramOnStandardInput_BecomesAnArgument) {
  EXPECT_THAT(*filled({"python3", "-u", "-"}, "print(1)\n"), ElementsAre("python3", "-u", "-c", "print(1)\n"));
  EXPECT_THAT(*filled({"python3", "-W", "ignore", "/dev/stdin", "--lr", "1"}, "x"),
              ElementsAre("python3", "-W", "ignore", "-c", "x", "--lr", "1"));
  EXPECT_THAT(*filled({"env", "A=1", "/opt/bin/python3.12", "-", "a"}, "x"),
              ElementsAre("env", "A=1", "/opt/bin/python3.12", "-c", "x", "a"));
  EXPECT_THAT(*filled({"python3", "-u"}, "x"), ElementsAre("python3", "-u", "-c", "x"));
}

TEST(StdinProgram, AShellScriptOnStandardInput_BecomesAnArgument) {
  EXPECT_THAT(*filled({"bash", "-es", "a"}, "x"), ElementsAre("bash", "-e", "-c", "x", "bash", "a"));
  EXPECT_THAT(*filled({"sh", "/dev/stdin", "a"}, "x"), ElementsAre("sh", "-c", "x", "sh", "a"));
  EXPECT_THAT(*filled({"bash", "-o", "pipefail"}, "x"), ElementsAre("bash", "-o", "pipefail", "-c", "x", "bash"));
}

TEST(StdinProgram, OtherPrograms_StayAsTheyAre) {
  for (const Words& command :
       {Words{"python3", "train.py", "-"}, Words{"python3", "-c", "x", "-"}, Words{"python3", "-m", "train"},
        Words{"python3", "--version"}, Words{"python3", "-V"}, Words{"bash", "-c", "x"}, Words{"bash", "x.sh", "-s"},
        Words{"./train", "-"}, Words{"env", "python3"}, Words{}}) {
    EXPECT_EQ(*filled(command, "text"), command);
  }
}

TEST(StdinProgram, NothingToRead_IsAnErrorOnlyIfStandardInputWasNamed) {
  EXPECT_EQ(*filled({"bash"}, ""), Words{"bash"});
  EXPECT_EQ(*filled({"bash"}, "x", true), Words{"bash"});
  EXPECT_THAT(filled({"python3", "-"}, "").status().message(), HasSubstr("empty"));
  EXPECT_THAT(filled({"python3", "-"}, "x", true).status().message(), HasSubstr("terminal"));
  EXPECT_THAT(filled({"python3", "-"}, std::string(200000, 'x')).status().message(), HasSubstr("longer than 120"));
  EXPECT_THAT(filled({"python3", "-"}, std::string(3, '\0')).status().message(), HasSubstr("not text"));
}

}  // namespace
}  // namespace muster
