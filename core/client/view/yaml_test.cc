// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/client/view/json.h"
#include "core/job/document/yaml_document.h"

namespace muster {
namespace {

YamlNode value_of(const std::string& yaml) {
  const YamlDocument document = load_yaml(yaml, "x.yaml");
  EXPECT_FALSE(document.problem) << yaml;
  return document.root.entries.empty() ? YamlNode{} : document.root.entries[0].value;
}

TEST(YamlFromJson, NestedDocument_IsBlockYaml) {
  EXPECT_EQ(
      yaml_from_json(
          R"({"name":"a","hosts":["x",{"b":1,"c":[2,3]},["z"]],"none":null,"empty":{"d":[],"e":{}},"f":1.5,"g":true})"),
      "name: a\nhosts:\n  - x\n  - b: 1\n    c:\n      - 2\n      - 3\n  -\n    - z\nnone: null\nempty:\n  d: []\n  e: "
      "{}\n"
      "f: 1.5\ng: true\n");
}

TEST(YamlFromJson, DocumentThatIsNoMap_IsWritten) {
  EXPECT_EQ(yaml_from_json("[]"), "[]\n");
  EXPECT_EQ(yaml_from_json("3"), "3\n");
  EXPECT_EQ(yaml_from_json(R"("x")"), "x\n");
}

TEST(YamlFromJson, TextThatLooksLikeAnotherType_IsQuoted) {
  for (const char* text :
       {"1",  "1.5", "-1", "+1",   ".5",   "0x1F", "1e3", "1_000", "12:30", "2024-01-01", "true", "Yes",
        "NO", "off", "y",  "null", "Null", "~",    "",    "=",     "<<",    ".inf",       "--",   "---"})
    EXPECT_EQ(yaml_from_json(std::string(R"({"a":")") + text + "\"}"), std::string("a: \"") + text + "\"\n");
  EXPECT_EQ(yaml_from_json(R"({"on":1,"2":1})"), "\"on\": 1\n\"2\": 1\n");
}

TEST(YamlFromJson, TextWithSyntaxOfYaml_IsQuoted) {
  for (const char* text : {"a: b", "a #b", "trailing ", "trailing:", "- a", "{a}", "[a]", "*a", "&a", "!a", "%a", "@a",
                           "`a", "|", ">", "?"})
    EXPECT_EQ(yaml_from_json(std::string(R"({"a":")") + text + "\"}"), std::string("a: \"") + text + "\"\n");
}

TEST(YamlFromJson, OrdinaryText_StandsAsItIs) {
  for (const char* text :
       {"rank 0", "/usr/bin/python3", "registry.example/train:7", "http://a:80/b", "a=b", "it's", "a, b", "naïve"})
    EXPECT_EQ(yaml_from_json(std::string(R"({"a":")") + text + "\"}").substr(0, 3 + std::string(text).size()),
              std::string("a: ") + text);
}

TEST(YamlFromJson, TextOfLines_IsALiteralBlock) {
  const std::string text = "#!/bin/sh\nset -e\n\n  echo \"$1\": é\n";
  const std::string yaml = yaml_from_json(R"({"run":"#!/bin/sh\nset -e\n\n  echo \"$1\": é\n","last":["x\ny\n"]})");
  EXPECT_EQ(yaml, "run: |\n  #!/bin/sh\n  set -e\n\n    echo \"$1\": é\nlast:\n  - |\n    x\n    y\n");
  EXPECT_EQ(value_of(yaml).text, text);
}

TEST(YamlFromJson, TextThatNoLiteralBlockKeeps_IsQuoted) {
  for (const char* text :
       {R"(a\nb)", R"(a\n\n)", R"( a\nb\n)", R"(\na\n)", R"(\n)", R"(a\u001b[31m\n)", R"(a\r\n)", R"(a\u2028b\n)"}) {
    const std::string yaml = yaml_from_json(std::string(R"({"a":")") + text + "\"}");
    EXPECT_TRUE(yaml.starts_with("a: \"")) << yaml;
    EXPECT_TRUE(yaml.ends_with("\"\n")) << yaml;
    for (const char c : yaml.substr(0, yaml.size() - 1)) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ') << yaml;
  }
  EXPECT_EQ(value_of(yaml_from_json(R"({"a":" x\n\u001b\n\n"})")).text, " x\n\x1b\n\n");
  EXPECT_EQ(yaml_from_json(R"({"a\nb\n":1})"), "\"a\\nb\\n\": 1\n");
}

}  // namespace
}  // namespace muster
