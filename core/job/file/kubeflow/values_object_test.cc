// SPDX-License-Identifier: Apache-2.0
// ConfigMaps and Secrets beside a job: what Kubernetes would reject in them is reported at its line.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// The object, and a job with a variable for each of its keys.
Translated with_object(const std::string& kind, const std::string& fields) {
  const std::string reference = kind == "Secret" ? "secretRef" : "configMapRef";
  return translated(
      "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: o}\n" + fields + "\n---\n" +
      pytorch(replica("Worker", 1, "name: pytorch, command: [./x], envFrom: [{" + reference + ": {name: o}}]")));
}

TEST(ValuesObject, DataOfASecretThatIsNoBase64_IsReportedAtItsLine) {
  for (const char* value :
       {"\"not base64!!\"", "mytoken12", "\"Zm9v YmFy!\"", "YWJjZA", "=", "YQ=a", "YQ==YQ==", "====="}) {
    const Translated job = with_object("Secret", std::string("data:\n  tok: ") + value);
    EXPECT_EQ(job.told(), "E1802 5:8 `data.tok` of a Secret must be base64\n") << value;
    ASSERT_EQ(job.problems.size(), 1u);
    EXPECT_EQ(job.problems[0].help, "use `stringData` for plain text");
  }
}

TEST(ValuesObject, DataOfASecret_IsDecoded) {
  const Translated job = with_object("Secret", "data: {A: Zm9vYmFy, B: YWJjZA==, C: \"\", D: \"Zm9v\\nYmE=\\n\", E: }");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "foobar");
  EXPECT_EQ(job.spec.env.at("B").literal, "abcd");
  EXPECT_EQ(job.spec.env.at("C").literal, "");
  EXPECT_EQ(job.spec.env.at("D").literal, "fooba");
  EXPECT_EQ(job.spec.env.at("E").literal, "");
}

}  // namespace
}  // namespace muster
