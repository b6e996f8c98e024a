#include "core/runtime/secrets_file.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(SecretsFile, ReadsBackWhatItWrote) {
  JobSecrets secrets;
  secrets.environment = {{"PATH", "/bin"}, {"MULTI", "a\nb=c"}, {"EMPTY", ""}};
  secrets.secrets = {{"KEY", "s3cret"}};
  const Result<JobSecrets> read = decode_secrets(encode_secrets(secrets));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->environment, secrets.environment);
  EXPECT_EQ(read->secrets, secrets.secrets);
}

TEST(SecretsFile, RefusesWhatIsCutOff) {
  EXPECT_EQ(decode_secrets("PATH=/bin").status().code(), Code::data_loss);
  EXPECT_EQ(decode_secrets(std::string("PATH\0", 5)).status().code(), Code::data_loss);
}

TEST(SecretsFile, NothingIsNothing) {
  const Result<JobSecrets> read = decode_secrets(encode_secrets({}));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->environment.empty());
}

}  // namespace
}  // namespace muster
