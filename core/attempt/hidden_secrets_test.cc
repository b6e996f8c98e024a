// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/hidden_secrets.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

const std::map<std::string, std::string> secrets{{"DIGIT", "7"}, {"KEY", "s3cret"}, {"TOKEN", "abcdef"}};

TEST(HiddenSecrets, EachValueIsToldByItsVariable) {
  EXPECT_EQ(without_secrets("bad s3cret, abcdefabcdef and s3cret", secrets), "bad [KEY], [TOKEN][TOKEN] and [KEY]");
  EXPECT_EQ(without_secrets("nothing of it in 7 words", secrets), "nothing of it in 7 words");
  EXPECT_EQ(without_secrets("", secrets), "");
}

TEST(HiddenSecrets, AValueThatIsInItsOwnNameEnds) {
  EXPECT_EQ(without_secrets("KEY1 KEY1", {{"MY_KEY1", "KEY1"}}), "[MY_KEY1] [MY_KEY1]");
}

TEST(HiddenSecrets, OfTheCommandLineOfALeftover) {
  Report report;
  report.trouble = "rank 0 left `upload --key s3cret` running";
  EXPECT_EQ(without_secrets(report, secrets).trouble, "rank 0 left `upload --key [KEY]` running");
}

TEST(HiddenSecrets, OfARanksFailureMessage) {
  Report report;
  report.ranks.resize(1);
  report.ranks[0].exit.detail = "RuntimeError: bad s3cret";
  report.ranks[0].exit.trace = "raise RuntimeError('s3cret')";
  const Report told = without_secrets(report, secrets);
  EXPECT_EQ(told.ranks[0].exit.detail, "RuntimeError: bad [KEY]");
  EXPECT_EQ(told.ranks[0].exit.trace, "raise RuntimeError('[KEY]')");
  EXPECT_EQ(without_secrets(report, {}), report);
}

}  // namespace
}  // namespace muster
