// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <gtest/gtest.h>

namespace fm {
namespace {

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, AreReadInBothForms) {
  const Options options =
      parse_options({"--epochs", "3", "--batch=96", "--learning-rate", "0.05", "--checkpoint", "a=b"});
  EXPECT_EQ(options.epochs, 3U);
  EXPECT_EQ(options.batch, 96U);
  EXPECT_EQ(options.rate, 0.05F);
  EXPECT_EQ(options.checkpoint, "a=b");
  EXPECT_TRUE(parse_options({"--epochs", "3", "--help"}).help);
}

TEST(Options, ComplaintsNameOptionValueCauseAndCure) {
  EXPECT_EQ(complaint({"--batch", "0"}),
            "--batch is \"0\", but must be a whole number from 1 to 60000; for example --batch 128");
  EXPECT_EQ(complaint({"--epochs", "3x"}),
            "--epochs is \"3x\", but must be a whole number from 1 to 10000; for example --epochs 5");
  EXPECT_EQ(complaint({"--learning-rate", "-1"}),
            "--learning-rate is \"-1\", but must be a number above 0; for example --learning-rate 0.1");
  EXPECT_EQ(complaint({"--learning-rate", "nan"}),
            "--learning-rate is \"nan\", but must be a number above 0; for example --learning-rate 0.1");
  EXPECT_EQ(complaint({"--epoch", "3"}), "unknown option --epoch; fashion_mnist --help lists the options");
  EXPECT_EQ(complaint({"--epochs"}), "--epochs needs a value; fashion_mnist --help lists the options");
}

}  // namespace
}  // namespace fm
