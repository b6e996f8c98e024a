// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/secrets_file.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

TEST(SecretsFile, ReadsBackWhatItWrote) {
  JobSecrets secrets;
  secrets.environment = {{"PATH", "/bin"}, {"MULTI", "a\nb=c"}, {"EMPTY", ""}};
  secrets.secrets = {{"KEY", "s3cret"}};
  secrets.settings = {027, {{"nofile", 777}, {"stack", ProcessSettings::kUnlimited}}};
  secrets.streams = {CallerWindow{30, 100, true}, CallerInput{4711, 99, 3, 1}};
  secrets.settings.ignored_signals = {SIGHUP, SIGUSR1};
  const Result<JobSecrets> read = decode_secrets(encode_secrets(secrets));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->streams, secrets.streams);
  EXPECT_EQ(read->environment, secrets.environment);
  EXPECT_EQ(read->secrets, secrets.secrets);
  EXPECT_EQ(read->settings, secrets.settings);
}

TEST(SecretsFile, RefusesWhatIsCutOff) {
  EXPECT_EQ(decode_secrets("PATH=/bin").status().code(), Code::data_loss);
  EXPECT_EQ(decode_secrets(std::string("PATH\0", 5)).status().code(), Code::data_loss);
}

TEST(SecretsFile, NothingIsNothing) {
  const Result<JobSecrets> read = decode_secrets(encode_secrets({}));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->environment.empty());
  EXPECT_EQ(read->settings, ProcessSettings());
}

TEST(SecretsFile, ReadsAFileFromBeforeThereWereSettings) {
  const Result<JobSecrets> read = decode_secrets(std::string("PATH=/bin\0\0KEY=s3cret\0", 22));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->environment.at("PATH"), "/bin");
  EXPECT_EQ(read->secrets.at("KEY"), "s3cret");
  EXPECT_EQ(read->settings, ProcessSettings());
}

}  // namespace
}  // namespace muster
