// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/yaml_document.h"

#include <gtest/gtest.h>

#include "core/job/document/yaml_prescan.h"

namespace muster {
namespace {

YamlNode root_of(std::string_view text) {
  YamlDocument document = load_yaml(text, "job.yaml");
  EXPECT_FALSE(document.problem) << document.problem->message;
  return std::move(document.root);
}

std::string code_of(std::string_view text) {
  const YamlDocument document = load_yaml(text, "job.yaml");
  return document.problem ? document.problem->code : "";
}

TEST(YamlDocument, ValuesKnowTheirPlaces) {
  const YamlNode root = root_of("name: fashion\nworker:\n  memory: \"2GiB\"\n");
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].value.where, (SourceRange{"job.yaml", 1, 7, 7}));
  EXPECT_EQ(root.entries[1].key_where, (SourceRange{"job.yaml", 2, 1, 6}));
  const YamlNode& memory = root.entries[1].value.entries[0].value;
  EXPECT_EQ(memory.text, "2GiB");
  EXPECT_TRUE(memory.quoted);
  EXPECT_EQ(memory.where, (SourceRange{"job.yaml", 3, 11, 6}));
}

TEST(YamlDocument, AMissingValueStandsAtItsKey) {
  const YamlNode root = root_of("a:\n\n\nb: ~\n");
  EXPECT_EQ(root.entries[0].value.kind, YamlNode::Kind::null);
  EXPECT_EQ(root.entries[0].value.where.line, 1u);
  EXPECT_EQ(root.entries[1].value.where, (SourceRange{"job.yaml", 4, 4, 1}));
  EXPECT_EQ(root.entries[1].value.text, "~");
}

TEST(YamlDocument, AliasesAreCopiedAndMergesDone) {
  const YamlNode root = root_of("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: *x\n");
  ASSERT_EQ(root.entries.size(), 3u);
  ASSERT_EQ(root.entries[1].value.entries.size(), 2u);
  EXPECT_EQ(root.entries[1].value.entries[0].value.text, "3");
  EXPECT_EQ(root.entries[1].value.entries[1].key, "p");
  EXPECT_EQ(root.entries[2].value.entries.size(), 2u);
}

TEST(YamlDocument, ByteOrderMarksAndWindowsLinesAreFine) {
  const YamlNode root = root_of("\xEF\xBB\xBFname: a\r\nworkdir: b\r\n");
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].value.text, "a");
  EXPECT_EQ(root.entries[0].key_where.column, 1u);
}

TEST(YamlDocument, AQuoteThatIsOpenAtTheEnd_IsAnError) {
  for (const char* text : {"a: \"x\nb: y\n", "a: 'x\nb: y\n", "- 'a\n- b\n", "a: \"x\\\"\n", "a: 'x''\n", "\"a: b\n",
                           "a: &x \"y\nb: z\n"}) {
    const YamlDocument document = load_yaml(text, "job.yaml");
    ASSERT_TRUE(document.problem) << text;
    EXPECT_EQ(document.problem->message, "this is not YAML: a quote is not closed") << text;
    EXPECT_EQ(document.problem->where.line, 1u) << text;
  }
  for (const char* text : {"a: \"x\n  y\"\n", "a: 'x''y'\n", "a: |\n  \"x\nb: y\n", "a: x\"\n", "\"a\": 'b'"})
    EXPECT_EQ(code_of(text), "") << text;
}

TEST(YamlDocument, EmptyIsNull) {
  EXPECT_EQ(root_of("").kind, YamlNode::Kind::null);
  EXPECT_EQ(root_of("# nothing\n").kind, YamlNode::Kind::null);
}

TEST(YamlDocument, RefusesWhatIsNoYaml) {
  for (const char* text : {"a: [1, 2\nb: 3", "a: b: c", "a: \"x", "{a: 1", "a: *nobody", "- a\nb: c", "]",
                           "%YAML 9.9\n---\na", "a: 1\n b: 2", "? {a: b}\n: c"}) {
    EXPECT_EQ(code_of(text), "E1001") << text;
  }
}

TEST(YamlDocument, RefusesTabsDocumentsTagsAndBytes) {
  EXPECT_EQ(code_of("env:\n\tA: 1\n"), "E1003");
  EXPECT_EQ(code_of("name: a\n---\nname: b\n"), "E1007");
  EXPECT_EQ(code_of("a: !!python/object x"), "E1009");
  EXPECT_EQ(code_of(std::string_view("a: \0", 4)), "E1006");
  EXPECT_EQ(code_of("a: \x1b[2J"), "E1006");
  EXPECT_EQ(code_of("a: \xff"), "E1006");
}

TEST(YamlDocument, ATabInABlockTextIsText) {
  const YamlNode root = root_of("a: |\n  if x:\n  \treturn\n");
  EXPECT_EQ(root.entries[0].value.text, "if x:\n\treturn\n");
}

TEST(YamlDocument, RefusesDepth) {
  EXPECT_EQ(code_of("a: " + std::string(31, '[') + std::string(31, ']')), "");
  EXPECT_EQ(code_of("a: " + std::string(32, '[') + std::string(32, ']')), "E1004");
  EXPECT_EQ(code_of(std::string(30'000, '[')), "E1004");
  EXPECT_EQ(code_of("a: " + std::string(30'000, '[')), "E1004");
  EXPECT_EQ(code_of("a: &x " + std::string(20, '[') + std::string(20, ']') + "\nb: " + std::string(20, '[') + "*x" +
                    std::string(20, ']')),
            "E1004");
}

TEST(YamlDocument, RefusesBombs) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 7; ++j) laughs += alias + ", ";
    laughs += "]\n";
  }
  EXPECT_EQ(code_of(laughs), "E1008");
  std::string many = "a: &a x\nb: [";
  for (int i = 0; i < 65; ++i) many += "*a, ";
  EXPECT_EQ(code_of(many + "]"), "E1005");
  EXPECT_EQ(code_of("a: &a [*a]"), "E1005");
}

TEST(YamlDocument, RefusesSize) {
  EXPECT_EQ(code_of(std::string(kMaxYamlBytes, '#')), "");
  EXPECT_EQ(code_of(std::string(kMaxYamlBytes + 1, '#')), "E1002");
  std::string many = "a: [";
  for (int i = 0; i < 25'000; ++i) many += "x,";
  EXPECT_EQ(code_of(many + "]"), "E1008");
  many = "a: [";
  for (int i = 0; i < 50'000; ++i) many += "x,";
  EXPECT_EQ(code_of(many + "]"), "E1008");
}

}  // namespace
}  // namespace muster
