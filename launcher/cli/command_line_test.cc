// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/command_line.h"

#include <gmock/gmock.h>

#include "core/base/text.h"

namespace muster {
namespace {

using Kind = CommandLine::Outcome::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  bool follow = false;
  std::optional<std::string> tail;
  std::vector<std::string> env;
  std::vector<std::string> words;
  std::vector<std::string> rest;
  std::string format = "text";
  CommandLine::Outcome outcome;
};

Parsed parse(const std::vector<std::string>& arguments, bool with_rest = true) {
  Parsed parsed;
  CommandLine line("try JOB [flags]", "Tries things.", "muster try it");
  line.flag("-f,--follow", parsed.follow, "follow").value("-n,--tail", "N", parsed.tail, "last lines");
  line.values("-e,--env", "K[=V]", parsed.env, "variables")
      .choice("-o,--output", {"text", "json"}, parsed.format, "format");
  line.words("a job", 1, 2, parsed.words);
  if (with_rest) line.rest(parsed.rest);
  parsed.outcome = line.parse(arguments);
  return parsed;
}

TEST(CommandLine, FlagsAndWordsInAnyOrder) {
  const Parsed parsed = parse({"-e", "A=1", "job", "-f", "--env=B", "-n40", "-o", "json"});
  EXPECT_EQ(parsed.outcome.kind, Kind::proceed) << parsed.outcome.text;
  EXPECT_TRUE(parsed.follow);
  EXPECT_EQ(parsed.tail, "40");
  EXPECT_THAT(parsed.env, ElementsAre("A=1", "B"));
  EXPECT_THAT(parsed.words, ElementsAre("job"));
  EXPECT_EQ(parsed.format, "json");
}

TEST(CommandLine, ForeignFlag_OfAnotherTool_IsAnsweredWithOurs) {
  const auto answer = [](const std::vector<std::string>& typed) {
    std::optional<std::string> workers;
    std::vector<std::string> words, program;
    CommandLine line("run [FILE] [flags]", "Runs.", "muster run it");
    line.value("-n,--workers", "N", workers, "ranks per node").words("a job file", 1, 1, words).rest(program);
    return line.parse(typed).text;
  };
  for (const char* theirs : {"-np", "--nproc", "--nproc-per-node", "--nproc_per_node", "--ntasks"}) {
    const std::string expected = "unknown flag `" + std::string(theirs) + "`; use -n or --workers: ranks per node\n";
    EXPECT_THAT(answer({theirs, "4", "--", "true"}), HasSubstr(expected));
    EXPECT_THAT(answer({std::string(theirs) + "=4", "--", "true"}), HasSubstr(expected));
  }
  EXPECT_THAT(answer({"python", "train.py", "--nproc-per-node", "4"}),
              HasSubstr("put the flags of your program after"));
  EXPECT_THAT(answer({"-np4", "--", "true"}), HasSubstr("unknown flag `-np4`; use -n or --workers: ranks per node\n"));
  EXPECT_THAT(answer({"-npx", "--", "true"}), "") << "the value of -n is checked where it is used";
  EXPECT_THAT(answer({"--nnodes", "2"}), HasSubstr("unknown flag `--nnodes`")) << "this command has no --nodes";
}

TEST(CommandLine, WhatStandsBehindTheDashesIsUntouched) {
  const Parsed parsed = parse({"-n", "2", "--", "python", "-f", "--tail", "--", "x"});
  EXPECT_EQ(parsed.outcome.kind, Kind::proceed);
  EXPECT_FALSE(parsed.follow);
  EXPECT_THAT(parsed.rest, ElementsAre("python", "-f", "--tail", "--", "x"));
}

TEST(CommandLine, WordsInFrontOfAProgram_AreWanted) {
  const auto parse_exec = [](const std::vector<std::string>& typed) {
    std::vector<std::string> words, program;
    CommandLine line("exec JOB [-- PROGRAM]", "Runs.", "muster exec it");
    line.words("a job", 1, 1, words).rest_behind_words(program);
    return line.parse(typed);
  };
  EXPECT_EQ(parse_exec({"it", "--", "env"}).kind, Kind::proceed);
  EXPECT_THAT(parse_exec({"--", "env"}).text, HasSubstr("muster exec needs a job"));
  EXPECT_THAT(parse_exec({"it", "env", "A"}).text, HasSubstr("muster exec it -- env A"));
}

TEST(CommandLine, AWordThatMayBeMissing_KeepsItsDefault) {
  std::vector<std::string> words{"@last"};
  CommandLine line("look [JOB]", "Looks.", "muster look");
  line.words("a job", 0, 1, words);
  EXPECT_EQ(line.parse({}).kind, Kind::proceed);
  EXPECT_THAT(words, ElementsAre("@last"));
  EXPECT_EQ(line.parse({"it"}).kind, Kind::proceed);
  EXPECT_THAT(words, ElementsAre("it"));
}

TEST(CommandLine, AnUnknownFlag_IsMended) {
  EXPECT_THAT(parse({"job", "--folow"}).outcome.text, HasSubstr("unknown flag `--folow`; did you mean `--follow`?"));
  EXPECT_THAT(parse({"job", "--learning-rate=3"}).outcome.text, HasSubstr("put the flags of your program after `--`"));
}

TEST(CommandLine, UnknownFlag_OfAnotherTool_IsAnsweredWithOurCommands) {
  const char* const way =
      "a job does not wait for another job; to start one after another: muster wait JOB && muster run …\n";
  EXPECT_THAT(parse({"--after", "w1", "--", "true"}).outcome.text,
              HasSubstr("unknown flag `--after`; " + std::string(way)));
  EXPECT_THAT(parse({"--dependency=afterok:w1", "--", "true"}).outcome.text, HasSubstr(way));
  EXPECT_THAT(parse({"./train", "--after", "3"}).outcome.text,
              HasSubstr("put the flags of your program after `--`: muster try -- ./train --after 3"));
}

TEST(CommandLine, WrongUses_SaySo) {
  EXPECT_THAT(parse({"a", "b", "c"}, false).outcome.text, HasSubstr("unexpected argument `c`"));
  EXPECT_THAT(parse({}, false).outcome.text, HasSubstr("muster try needs a job"));
  EXPECT_THAT(parse({"a", "b", "c"}).outcome.text, HasSubstr("put `--` before the program: muster try -- a b c"));
  EXPECT_THAT(parse({"a", "-n"}).outcome.text, HasSubstr("--tail needs a value"));
  EXPECT_THAT(parse({"a", "-o", "jsn"}).outcome.text,
              HasSubstr("--output must be one of text, json, not `jsn`; did you mean `json`?"));
  EXPECT_EQ(parse({}, false).outcome.kind, Kind::wrong);
}

TEST(CommandLine, AForgottenDoubleDash_IsPutWhereItBelongs) {
  EXPECT_THAT(parse({"-n", "4", "python3", "train.py", "it's"}).outcome.text,
              HasSubstr("put `--` before the program: muster try -n 4 -- python3 train.py 'it'\\''s'\n"));
  EXPECT_THAT(
      parse({"-fn4", "./train", "--lr", "3"}).outcome.text,
      HasSubstr("unknown flag `--lr`; put the flags of your program after `--`: muster try -fn4 -- ./train --lr 3\n"));
  EXPECT_THAT(parse({"--lr", "3", "x"}).outcome.text, HasSubstr("put the flags of your program after `--`\n"));
}

TEST(CommandLine, FlagsOf_AreThoseThatWereTyped) {
  CommandLine line("try JOB [flags]", "Tries things.", "muster try it");
  std::optional<std::string> tail;
  line.value("-n,--tail", "N", tail, "last lines");
  EXPECT_THAT(line.flags_of({"-n", "4", "x", "--tail=3", "-f", "--", "-y"}),
              ElementsAre("muster", "try", "-n", "4", "--tail=3", "-f"));
}

TEST(ShellLine, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_line({"a", "b c", "", "$x", "it's", "k=v"}), "a 'b c' '' '$x' 'it'\\''s' k=v");
}

TEST(CommandLine, ADashIsAWord) { EXPECT_THAT(parse({"-"}).words, ElementsAre("-")); }

TEST(CommandLine, HelpHasFlagsAndAnExample) {
  const Parsed parsed = parse({"--help"});
  EXPECT_EQ(parsed.outcome.kind, Kind::help);
  EXPECT_THAT(parsed.outcome.text, HasSubstr("-n, --tail N "));
  EXPECT_THAT(parsed.outcome.text, HasSubstr("example:\n  muster try it\n"));
}

TEST(ParseRanks, ListsAndRanges) {
  EXPECT_THAT(*parse_ranks("--rank", "0,2,5-7"), ElementsAre(0, 2, 5, 6, 7));
  for (const char* wrong : {"", "a", "1-", "3-1", "0-99999999", "-1", "1,,2"}) {
    EXPECT_FALSE(parse_ranks("--rank", wrong).ok()) << wrong;
  }
}

TEST(CommandLine, ANegativeNumberIsAValue) {
  CommandLine line("try JOB [flags]", "Tries things.", "muster try it");
  std::optional<std::string> tail;
  line.value("-n,--tail", "N", tail, "last lines");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-n", "-3"}, {"--tail", "-3"}, {"-n-3"}}) {
    tail.reset();
    EXPECT_EQ(line.parse(words).kind, Kind::proceed);
    EXPECT_EQ(tail, "-3");
  }
}

TEST(CommandLine, AFlagThatWantsAValue_TakesTheNextWord) {
  EXPECT_EQ(parse({"job", "-n", "-f"}).tail, "-f");
  EXPECT_EQ(parse({"job", "--tail", "--tail"}).tail, "--tail");
  EXPECT_EQ(parse({"job", "-fn", "7"}).tail, "7");
  EXPECT_EQ(parse({"job", "--tail="}).tail, "");
  EXPECT_EQ(parse({"job", "--tail=a=b", "-n=3"}).tail, "=3") << "the last one counts";
}

TEST(CommandLine, AFlagWithoutAValue_MayBeGivenATruth) {
  EXPECT_TRUE(parse({"job", "--follow=true"}).follow);
  EXPECT_FALSE(parse({"job", "-f", "--follow=false"}).follow);
  EXPECT_THAT(parse({"job", "--follow=x"}).outcome.text, HasSubstr("--follow takes no value, but it was given `x`"));
}

TEST(CommandLine, ShortFlags_MayStandTogether) {
  EXPECT_TRUE(parse({"job", "-fn4"}).follow);
  EXPECT_THAT(parse({"job", "-fx"}).outcome.text, HasSubstr("unknown flag `-x`"));
  EXPECT_EQ(parse({"-fh"}).outcome.kind, Kind::help);
}

TEST(CommandLine, WordsBehindDashes_AreNoFlags) {
  EXPECT_THAT(parse({"--", "job"}, false).words, ElementsAre("job"));
  EXPECT_THAT(parse({"--", "-f"}, false).outcome.text, HasSubstr("unknown flag `-f`"));
}

TEST(CommandLine, HelpKeepsTo80Columns) {
  CommandLine line("try JOB [flags]", "Tries things.", "muster try it");
  std::optional<std::string> tail;
  line.value("-n,--tail", "N", tail, "last lines of " + std::string(30, 'x') + " and " + std::string(30, 'y'));
  line.note("A paragraph " + std::string(60, 'z') + " of more than one line");
  for (const std::string& row : split(line.help(), '\n')) EXPECT_LE(row.size(), 80u) << row;
  EXPECT_THAT(line.help(), HasSubstr("and\n" + std::string(16, ' ') + "yyyy"));
}

TEST(ParseNumber, NamesTheFlag) {
  EXPECT_EQ(parse_number("--attempt", "0", 1).status().message(), "--attempt needs a number of at least 1, not `0`");
  EXPECT_EQ(parse_number("-n", "four").status().message(), "-n needs a number of at least 0, not `four`");
}

TEST(NameAsTyped, IsTheShortOneOnlyWhereThatWasTyped) {
  EXPECT_EQ(name_as_typed("-n,--count", {"muster", "top", "-n", "0"}), "-n");
  EXPECT_EQ(name_as_typed("-n,--count", {"muster", "top", "-n0"}), "-n");
  EXPECT_EQ(name_as_typed("-n,--count", {"muster", "top", "--no-prefix", "--count", "0"}), "--count");
  EXPECT_EQ(name_as_typed("--rank", {"muster", "logs", "--rank", "x"}), "--rank");
}

}  // namespace
}  // namespace muster
