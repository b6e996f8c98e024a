// SPDX-License-Identifier: Apache-2.0
#include "launcher/completion/completer.h"

#include <gtest/gtest.h>

#include "core/base/text.h"

namespace muster {
namespace {

CommandFacts facts() {
  CommandFacts facts{.usage = "logs JOB", .noun = "a job (muster ps lists them)", .most_words = 1};
  facts.flags = {{"-f,--follow", "", "go on", {}, false},
                 {"--rank", "R,…", "ranks", {}, false},
                 {"--stream", "out|err", "stream", {"out", "err"}, false},
                 {"-e,--env", "K[=V]", "variable", {}, true},
                 {"--file", "FILE", "file", {}, false},
                 {"--framework", "NAME", "framework", {}, false},
                 {"--group", "GROUP", "group", {}, false},
                 {"--set", "KEY=VALUE", "set", {}, true}};
  return facts;
}

CommandFacts run_facts() {
  CommandFacts run = facts();
  run.noun = "a job file, or -- and a program";
  run.takes_program = true;
  return run;
}

CommandFacts verb_facts() {
  CommandFacts config{.usage = "config", .noun = "a key", .most_words = 2};
  config.verbs = {{"list", "", "all", ""}, {"explain", "KEY [FILE]", "one", "a key;a job file"}};
  return config;
}

LiveWords live() {
  LiveWords words;
  words.jobs = [](JobChoice choice) -> std::vector<Candidate> {
    if (choice == JobChoice::live) return {{"alive", "running"}};
    return {{"alive", "running"}, {"gone", "failed"}};
  };
  words.shape = [](const std::string& job) { return job == "alive" ? JobShape{{0, 1, 2}, {"a", "b"}} : JobShape{}; };
  words.runtimes = [] { return std::vector<Candidate>{{"base", ""}}; };
  words.codes = [] { return std::vector<Candidate>{{"E1001", ""}}; };
  words.variables = [] { return std::vector<std::string>{"HOME", "PATH"}; };
  return words;
}

Completion at(const std::vector<std::string>& words) {
  const std::vector<KnownCommand> commands{
      {"logs", "show", facts}, {"stop", "stop", facts}, {"run", "run", run_facts}, {"config", "values", verb_facts}};
  return complete(words, commands, live());
}

std::string texts(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const Candidate& each : at(words).candidates) found.push_back(each.value);
  return join(found, " ");
}

TEST(Completer, TheFirstWordIsACommand) {
  EXPECT_EQ(texts({""}), "logs stop run config");
  EXPECT_EQ(texts({"lo"}), "logs");
  EXPECT_EQ(texts({"--"}), "--help --version");
  EXPECT_EQ(texts({"nothing", ""}), "");
  EXPECT_TRUE(at({}).candidates.empty());
}

TEST(Completer, JobsAreThoseThatTheCommandCanTake) {
  EXPECT_EQ(texts({"logs", ""}), "alive gone");
  EXPECT_EQ(texts({"stop", ""}), "alive");
  EXPECT_EQ(texts({"logs", "alive", ""}), "");
}

TEST(Completer, FlagsThatWereSaidAreNotOfferedAgain) {
  EXPECT_EQ(texts({"logs", "--f"}), "--follow --file --framework");
  EXPECT_EQ(texts({"logs", "-f", "--f"}), "--file --framework");
  EXPECT_EQ(texts({"logs", "-e", "A", "--e"}), "--env");
}

TEST(Completer, AFlagsValueIsItsOwn) {
  EXPECT_EQ(texts({"logs", "--stream", ""}), "out err");
  EXPECT_EQ(texts({"logs", "--stream=e"}), "--stream=err");
  EXPECT_EQ(texts({"logs", "--framework", "dee"}), "deepspeed");
  EXPECT_EQ(texts({"logs", "-e", "P"}), "PATH");
  EXPECT_EQ(at({"logs", "--file", ""}).part, ShellPart::files);
  EXPECT_EQ(texts({"logs", "--follow=x"}), "");
  EXPECT_EQ(texts({"logs", "--nothing=x"}), "");
}

TEST(Completer, RanksAndGroupsAreThoseOfTheJobInFront) {
  EXPECT_EQ(texts({"logs", "alive", "--rank", ""}), "0 1 2");
  EXPECT_EQ(texts({"logs", "alive", "--rank", "0,"}), "0,1 0,2");
  EXPECT_EQ(texts({"logs", "alive", "--group", ""}), "a b");
  EXPECT_EQ(texts({"logs", "gone", "--rank", ""}), "");
}

TEST(Completer, SettingsAreAKeyAndThenItsChoices) {
  EXPECT_EQ(texts({"run", "--set", "restarts.mo"}), "restarts.mode=");
  EXPECT_EQ(texts({"run", "--set", "restarts.mode="}), "restarts.mode=gang restarts.mode=group restarts.mode=none");
  EXPECT_EQ(texts({"run", "--set=restarts.mode=ga"}), "--set=restarts.mode=gang");
}

TEST(Completer, BehindTheDashesAProgramBegins) {
  EXPECT_EQ(at({"run", ""}).part, ShellPart::files);
  const Completion program = at({"run", "-f", "--", "python", ""});
  EXPECT_EQ(program.part, ShellPart::program);
  EXPECT_EQ(program.program_at, 3u);
}

TEST(Completer, VerbsHaveWordsOfTheirOwn) {
  EXPECT_EQ(texts({"config", ""}), "list explain");
  EXPECT_EQ(texts({"config", "explain", "tty"}), "tty");
  EXPECT_EQ(at({"config", "explain", "tty", ""}).part, ShellPart::files);
  EXPECT_EQ(texts({"config", "list", ""}), "");
  EXPECT_EQ(texts({"config", "strange", ""}), "");
}

}  // namespace
}  // namespace muster
