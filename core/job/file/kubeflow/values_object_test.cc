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
    EXPECT_EQ(job.told(), "E1802 5:8 `data.tok` must be base64, and this is not\n") << value;
    ASSERT_EQ(job.problems.size(), 1u);
    EXPECT_EQ(job.problems[0].help, "use `stringData` for plain text");
  }
}

TEST(ValuesObject, DataOfASecret_IsDecoded) {
  const Translated job = with_object("Secret", "data: {A: Zm9vYmFy, B: YWJjZA==, C: \"\", D: \"Zm9v\\nYmE=\\n\", E: }");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.secrets,
            (std::map<std::string, std::string>{{"A", "foobar"}, {"B", "abcd"}, {"C", ""}, {"D", "fooba"}, {"E", ""}}));
}

TEST(ValuesObject, FieldThatTheKindDoesNotHave_IsReported) {
  EXPECT_EQ(with_object("Secret", "dta: {tok: x}").told(),
            "E1801 4:1 a manifest has no field `dta` (did you mean `data`?)\n");
  EXPECT_EQ(with_object("ConfigMap", "foo: 1").told(), "E1801 4:1 a manifest has no field `foo`\n");
  EXPECT_EQ(with_object("ConfigMap", "stringData: {a: b}").told().substr(0, 9), "E1801 4:1");
  EXPECT_EQ(with_object("ConfigMap", "data: [a]").told(), "E1802 4:7 `data` must be a map, and this is a list\n");
}

TEST(ValuesObject, ValueThatIsNoText_IsReportedAtItsLine) {
  EXPECT_EQ(with_object("ConfigMap", "data:\n  port: 8080\n  debug: true\n  more: {a: b}").told(),
            "E1802 5:9 `data.port` must be a text, and this is a number (did you mean `\"8080\"`?)\n"
            "E1802 6:10 `data.debug` must be a text, and this is true or false (did you mean `\"true\"`?)\n"
            "E1802 7:9 `data.more` must be a text, and this is a map\n");
  EXPECT_EQ(with_object("Secret", "stringData: {port: 8080}").told().substr(0, 10), "E1802 4:20");
  EXPECT_EQ(with_object("ConfigMap", "binaryData: {a: b}").told(),
            "E1802 4:17 `binaryData.a` must be base64, and this is not\n");
}

TEST(ValuesObject, AllItsFields_AreAccepted) {
  for (const auto& [kind, fields] :
       {std::pair("ConfigMap", "data: {a: \"8080\", b: text, c: }\nbinaryData: {d: YWJj}\nimmutable: true"),
        std::pair("Secret", "data: {a: YWJj}\nstringData: {b: \"1\"}\ntype: Opaque\nimmutable: false")}) {
    const Translated job = with_object(kind, fields);
    EXPECT_EQ(job.told(), "");
    for (const std::string& note : job.notes) EXPECT_EQ(note.find("no effect"), std::string::npos) << note;
  }
}

}  // namespace
}  // namespace muster
