// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/ignore_rules.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

bool ignored(std::string_view rules, const std::string& path, bool is_folder = false) {
  IgnoreRules made;
  made.add(rules, "");
  return made.ignores(path, is_folder);
}

TEST(IgnoreRules, ANameIsMeantAnywhereAndAPathFromItsFolder) {
  EXPECT_TRUE(ignored("*.o", "a.o"));
  EXPECT_TRUE(ignored("*.o", "src/deep/a.o"));
  EXPECT_FALSE(ignored("*.o", "a.obj"));
  EXPECT_TRUE(ignored("/data", "data"));
  EXPECT_FALSE(ignored("/data", "src/data"));
  EXPECT_TRUE(ignored("src/data", "src/data"));
  EXPECT_FALSE(ignored("src/data", "lib/src/data"));
}

TEST(IgnoreRules, ASlashAtTheEndMeansFolders) {
  EXPECT_TRUE(ignored("build/", "build", true));
  EXPECT_TRUE(ignored("build/", "src/build", true)) << "it anchors nothing";
  EXPECT_FALSE(ignored("build/", "build", false));
}

TEST(IgnoreRules, TwoStarsAreAnyFolders) {
  EXPECT_TRUE(ignored("**/cache", "cache"));
  EXPECT_TRUE(ignored("**/cache", "a/b/cache"));
  EXPECT_TRUE(ignored("a/**/b", "a/b"));
  EXPECT_TRUE(ignored("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(ignored("a/**/b", "a/x/y/c"));
  EXPECT_TRUE(ignored("logs/**", "logs/x/y"));
  EXPECT_FALSE(ignored("logs/**", "logs")) << "what is in it, not itself";
  EXPECT_TRUE(ignored("a/**/b/**/c", "a/b/b/x/b/c"));
}

TEST(IgnoreRules, ASingleStarStaysInItsFolder) {
  EXPECT_TRUE(ignored("runs/*.pt", "runs/a.pt"));
  EXPECT_FALSE(ignored("runs/*.pt", "runs/b/a.pt"));
  EXPECT_TRUE(ignored("model-[0-9]?.bin", "model-3x.bin"));
  EXPECT_TRUE(ignored("model-[!0-9].bin", "model-x.bin"));
}

TEST(IgnoreRules, TheLastRuleThatMatchesWins) {
  EXPECT_FALSE(ignored("*.log\n!keep.log", "keep.log"));
  EXPECT_TRUE(ignored("!keep.log\n*.log", "keep.log"));
  EXPECT_TRUE(ignored("*.log\n!keep.log", "other.log"));
}

TEST(IgnoreRules, RemarksBlanksAndBackslashes) {
  EXPECT_FALSE(ignored("# a.o", "a.o"));
  EXPECT_TRUE(ignored("\\#a", "#a"));
  EXPECT_TRUE(ignored("\\!a", "!a"));
  EXPECT_TRUE(ignored("a.o   ", "a.o"));
  EXPECT_TRUE(ignored("a\\ ", "a "));
  EXPECT_TRUE(ignored("a.o\r\nb.o\r\n", "b.o"));
  EXPECT_FALSE(ignored("\n/\n  \n", "a"));
}

TEST(IgnoreRules, AFoldersRulesHoldBelowIt) {
  IgnoreRules rules;
  rules.add("*.csv\n/only", "");
  rules.add("!keep.csv\n/only2", "data");
  EXPECT_TRUE(rules.ignores("keep.csv", false));
  EXPECT_FALSE(rules.ignores("data/keep.csv", false));
  EXPECT_TRUE(rules.ignores("data/only2", false));
  EXPECT_FALSE(rules.ignores("only2", false));
  EXPECT_FALSE(rules.ignores("data/only", false));
}

}  // namespace
}  // namespace muster
