// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/plain_secrets.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::HasSubstr;

TEST(PlainSecrets, AreKnownByNamesAndByForms) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"HF_TOKEN", "abcdefgh"},
           {"TOKEN", "abcdefgh"},
           {"db_password", "hunter-two"},
           {"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"},
           {"WANDB_API_KEY", "0123456789abcdef0123456789abcdef01234567"},
           {"ANY", "ghp_0123456789abcdefghij"},
           {"INDEX_URL", "https://mia:word@pypi.example/simple"}})
    EXPECT_TRUE(looks_secret(name, value)) << name;
}

TEST(PlainSecrets, AreNotSeenInPlacesNumbersAndWords) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"TOKENIZERS_PARALLELISM", "false"},
                                                        {"MAX_TOKEN", "4096000"},
                                                        {"HF_TOKEN_PATH", "abcdefgh"},
                                                        {"SSH_KEY", "/home/mia/.ssh/id_ed25519"},
                                                        {"SORT_KEY", "created_at"},
                                                        {"SECRET_NAME", "my-secret"},
                                                        {"PASSWORD_FILE", "./password"},
                                                        {"USE_SECRET", "true"},
                                                        {"API_TOKEN", ""},
                                                        {"URL", "https://example.com/a:b@c"}})
    EXPECT_FALSE(looks_secret(name, value)) << name;
}

TEST(PlainSecrets, AreTold_AndTheirValuesAreNot) {
  const std::string text = "env: {HF_TOKEN: abcdefgh}\ncommand: [true]\n";
  const ParsedJob job = parse_job(text, "job.yaml");
  const auto found = plain_secrets(job.spec, job.places, "job.yaml");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(found[0].where.line, 1u);
  EXPECT_THAT(found[0].message + found[0].help, testing::Not(HasSubstr("abcdefgh")));
  EXPECT_THAT(found[0].help, HasSubstr("{from: \"env:HF_TOKEN\"}"));
  std::vector<SourceText> sources{{"job.yaml", text}};
  blot_secrets(job.spec, sources);
  EXPECT_THAT(sources[0].text, HasSubstr("HF_TOKEN: ********}"));
}

}  // namespace
}  // namespace muster
