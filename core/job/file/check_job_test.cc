// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "core/job/file/job_yaml.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

std::vector<Diagnostic> warnings(const std::string& text) {
  const std::vector<Diagnostic> found = check_job(parse_job(text, "job.yaml"), "job.yaml");
  EXPECT_FALSE(has_errors(found)) << text;
  return found;
}

TEST(LiteralVariables, AValueOfEnv_ThatNamesAVariable_IsAWarningWithTheRightForm) {
  const auto found = warnings("command: [./x]\nenv: {KEY: \"${OTHER}\", A: b}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1317");
  EXPECT_EQ(found[0].where.line, 2u);
  EXPECT_EQ(found[0].message, "ranks get `KEY` with the text ${OTHER}: muster replaces no variables in env");
  EXPECT_EQ(found[0].help, "`KEY: {from: \"env:OTHER\"}` takes the value from your shell");
}

TEST(LiteralVariables, APartOfAValue_IsReplacedByTheShell) {
  const auto found = warnings("command: [./x]\nenv: {PATH: \"/opt/bin:$PATH\"}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(warnings("command: [./x]\nenv: {A: \"${B:-c}\"}\n").size(), 1u);
  EXPECT_EQ(found[0].help, "write the value itself, or let your shell replace it: -e PATH=\"/opt/bin:$PATH\"");
}

TEST(LiteralVariables, ACommand_WithoutAShell_IsAWarning) {
  EXPECT_EQ(warnings("command: [python, train.py, \"${DATA}\"]\n").size(), 1u);
  EXPECT_EQ(
      warnings("groups:\n  - {name: a, command: [./x, $HOME]}\n  - {name: b, command: [./y], env: {A: $B}}\n").size(),
      2u);
  EXPECT_TRUE(warnings("command: [bash, -c, \"echo ${DATA}\"]\n").empty());
  EXPECT_TRUE(warnings("command: [env, A=1, /bin/sh, x.sh, $DATA]\n").empty());
  EXPECT_TRUE(warnings("command: [./x, \"${local_rank}\"]\ntorch: {macros: true}\n").empty());
}

TEST(LiteralVariables, OtherDollarSigns_AreNoVariables) {
  EXPECT_TRUE(warnings("command: [./x, \"$\", \"5$\", \"$1\", \"$$\", \"${}\", \"${open\", \"$(date)\"]\n").empty());
  EXPECT_TRUE(warnings("command: [./x]\nenv: {A: \"$5\", B: {from: \"env:B\"}}\n").empty());
}

}  // namespace
}  // namespace muster
