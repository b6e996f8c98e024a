// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/output_rules.h"

#include <gtest/gtest.h>

#include "launcher/torchrun/line_prefix.h"

namespace muster {
namespace {

constexpr OutputStream kOut = OutputStream::out;
constexpr OutputStream kErr = OutputStream::err;

StreamPick pick(const std::string& text) {
  const auto parsed = StreamPick::parse("--tee", text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : StreamPick();
}

OutputRules rules(const std::string& redirects, const std::string& tee, std::set<uint32_t> shown = {},
                  bool nowhere = false) {
  TorchrunSettings settings;
  settings.ranks = 2;
  settings.redirects = pick(redirects);
  settings.tee = pick(tee);
  settings.shown = std::move(shown);
  settings.prefix_template = "[${role_name}${local_rank}]:";
  return OutputRules(settings, "trainer", "here", nowhere);
}

TEST(StreamPick, ReadsBothForms) {
  EXPECT_TRUE(pick("3").has(9, kErr));
  EXPECT_TRUE(pick("0:3,1:1").has(1, kOut));
  EXPECT_FALSE(pick("0:3,1:1").has(1, kErr));
  EXPECT_FALSE(pick("0:3,1:1").has(2, kOut));
  EXPECT_FALSE(pick("5:3").any(2));
  EXPECT_EQ(pick("0:2").with(pick("1"), 2), "0:3,1:1");
  EXPECT_EQ(pick("2").with(pick("1"), 2), "3");
  for (const char* bad : {"", "4", "-1", "33", "0:", "0:4", ":1", "a:1", "0:1,", "0:1 "}) {
    EXPECT_FALSE(StreamPick::parse("--tee", bad).ok()) << bad;
  }
}

TEST(OutputRules, APrefixWhereTeedNothingWhereRedirected) {
  const OutputRules some = rules("0:1", "1:2");
  EXPECT_EQ(some.label(0, kOut), std::nullopt);
  EXPECT_EQ(some.label(0, kErr), "");
  EXPECT_EQ(some.label(1, kOut), "");
  EXPECT_EQ(some.label(1, kErr), "[trainer1]:");
  EXPECT_EQ(some.files(), "0:1,1:2");
  EXPECT_EQ(rules("0", "0").files(), "");
}

TEST(OutputRules, TheFilterHidesAllOfARank) {
  const OutputRules one = rules("0", "3", {1});
  EXPECT_EQ(one.label(0, kOut), std::nullopt);
  EXPECT_FALSE(one.teed(0, kOut));
  EXPECT_TRUE(one.teed(1, kOut));
}

TEST(OutputRules, ToNowhereShowsAll) {
  const OutputRules all = rules("3", "3", {1}, true);
  EXPECT_EQ(all.label(0, kOut), "");
  EXPECT_EQ(all.files(), "");
}

// The same results as string.Template(…).safe_substitute(a="1").
TEST(LinePrefix, IsPythonsTemplate) {
  const std::map<std::string, std::string> values{{"a", "1"}};
  for (const auto& [text, expected] : std::map<std::string, std::string>{{"$a.${a}", "1.1"},
                                                                         {"$$a", "$a"},
                                                                         {"$ab", "$ab"},
                                                                         {"${b}", "${b}"},
                                                                         {"${a", "${a"},
                                                                         {"$", "$"},
                                                                         {"${}", "${}"},
                                                                         {"5$", "5$"}}) {
    EXPECT_EQ(substitute_template(text, values), expected);
  }
}

}  // namespace
}  // namespace muster
