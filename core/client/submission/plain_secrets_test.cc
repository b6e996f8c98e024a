// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/plain_secrets.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::HasSubstr;

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
