// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/job/file/job_yaml.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

ParsedJob job_with(const std::vector<Override>& overrides, const std::string& text = "command: [x]") {
  ParsedJob job = parse_job(text, "job.yaml");
  apply_overrides(job, overrides);
  return job;
}

TEST(JobOverride, ValuesAreReadByTheTableOfTheFile) {
  const ParsedJob job = job_with({{"workers", "auto", "--workers"},
                                  {"nodes", "2..4", "--nodes"},
                                  {"worker.memory", "4GiB", "--memory"},
                                  {"command", "[python, \"a b\"]", "--"},
                                  {"restarts", "{limit: 3}", "--set"},
                                  {"restarts.backoff.then", "2s..8s", "--set"},
                                  {"backend", "ssh", "--backend"},
                                  {"tty", "1", "--tty"}});
  EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_TRUE(job.spec.groups[0].workers.automatic);
  EXPECT_EQ(job.spec.groups[0].max_nodes, 4u);
  EXPECT_EQ(job.spec.groups[0].worker.memory_bytes, 4ULL << 30);
  EXPECT_EQ(job.spec.groups[0].command, (std::vector<std::string>{"python", "a b"}));
  EXPECT_EQ(job.spec.restarts.limit, 3u);
  EXPECT_EQ(job.spec.restarts.max_backoff, std::chrono::seconds(8));
  EXPECT_EQ(job.spec.backend, BackendKind::ssh);
  EXPECT_EQ(job.spec.tty_rank, 1u);
  EXPECT_EQ(job.places.at("groups.0.nodes").file, "--nodes");
}

TEST(JobOverride, TextsAreTakenAsTheyAre) {
  const ParsedJob job = job_with({{"env.A", "no", "--env"},
                                  {"env.B", "{\"json\": [1, 2]}", "--env"},
                                  {"env.C.D", "", "--env"},
                                  {"env.S", "{from: \"env:TOKEN\"}", "--env"},
                                  {"labels.team", "#1: vision", "--label"},
                                  {"workdir", "/tmp/a: b", "--workdir"},
                                  {"name", "on", "--name"}});
  EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_EQ(job.spec.env.at("A").literal, "no");
  EXPECT_EQ(job.spec.env.at("B").literal, "{\"json\": [1, 2]}");
  EXPECT_EQ(job.spec.env.at("C.D").literal, "");
  EXPECT_EQ(job.spec.env.at("S").secret->where, "TOKEN");
  EXPECT_EQ(job.spec.labels.at("team"), "#1: vision");
  EXPECT_EQ(job.spec.workdir, "/tmp/a: b");
  EXPECT_EQ(job.spec.name, "on");
}

TEST(JobOverride, AJobWithoutAFileGetsItsGroup) {
  JobSpec spec;
  EXPECT_TRUE(apply_overrides(spec, {{"workers", "4", "-n"}, {"command", "[./prog]", "--"}}).empty());
  ASSERT_EQ(spec.groups.size(), 1u);
  EXPECT_EQ(spec.groups[0].workers.count, 4u);
}

TEST(JobOverride, MistakesPointAtTheFlag) {
  const ParsedJob job =
      job_with({{"workers", "two", "--workers"}, {"worker.gpu", "1", "--set"}, {"nodes", "[", "--nodes"}});
  ASSERT_EQ(job.diagnostics.size(), 3u);
  EXPECT_EQ(job.diagnostics[0].code, "E1102");
  EXPECT_EQ(job.diagnostics[0].where, (SourceRange{"--workers", 0, 0, 1}));
  EXPECT_EQ(job.diagnostics[1].code, "E1201");
  EXPECT_EQ(job.diagnostics[1].label, "did you mean `worker.gpus`?");
  EXPECT_EQ(job.diagnostics[2].code, "E1001");
}

TEST(JobOverride, ValidateKnowsTheFlagToo) {
  const auto found = check_job(job_with({{"nodes", "4..2", "--nodes"}}), "job.yaml");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.file, "--nodes");
}

TEST(JobOverride, SeveralGroupsAreNamed) {
  const std::string groups = "groups: [{name: a, command: [x]}, {name: b, command: [y]}]";
  const ParsedJob named = job_with({{"groups.b.workers", "3", "--set"}}, groups);
  EXPECT_TRUE(named.diagnostics.empty());
  EXPECT_EQ(named.spec.groups[1].workers.count, 3u);
  EXPECT_EQ(job_with({{"workers", "3", "--workers"}}, groups).diagnostics.at(0).label, "type --set groups.a.workers=…");
  EXPECT_EQ(job_with({{"groups.c.workers", "3", "--set"}}, groups).diagnostics.at(0).code, "E1211");
  EXPECT_EQ(job_with({{"groups.b", "3", "--set"}}, groups).diagnostics.at(0).code, "E1201");
}

TEST(JobOverride, AMistakeNamesTheFlagAsItWasTyped) {
  const auto message = [](const char* key, const char* value, const char* origin) {
    return job_with({{key, value, origin}}).diagnostics.at(0).message;
  };
  EXPECT_THAT(message("restarts.limit", "-1", "--restarts"), testing::StartsWith("`--restarts` must be "));
  EXPECT_THAT(message("restarts.limit", "-1", "MUSTER_RESTARTS_LIMIT"),
              testing::StartsWith("`MUSTER_RESTARTS_LIMIT` must"));
  EXPECT_THAT(message("restarts.limit", "-1", "--set restarts.limit"),
              testing::StartsWith("`restarts.limit` must be "));
  EXPECT_THAT(message("workers", "many", "-n"), testing::StartsWith("`-n` must be "));
}

TEST(JobOverride, StrangeKeysAreErrors) {
  for (const char* key : {"", ".", "env.", "colour", "restarts.", "restarts.limit.x", "groups.", "workers.x"}) {
    EXPECT_FALSE(job_with({{key, "1", "--set"}}).diagnostics.empty()) << key;
  }
}

TEST(JobOverride, WordsOfACommandAreTakenAsTheyAre) {
  ParsedJob job;
  const std::vector<std::string> words = {"tool", "no", "[x", "*", "", "\"'", std::string(100'000, 'x')};
  apply_overrides(job, {{"command", "", "the command line", words}});
  EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_EQ(job.spec.groups.at(0).command, words);
}

TEST(JobOverride, TooManyWordsAreAProblemOfTheCommand) {
  ParsedJob job;
  apply_overrides(job, {{"command", "", "the command line", std::vector<std::string>(300'000, "data/0001.tar")}});
  const auto found = check_job(job, "the command line");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1309");
  EXPECT_EQ(found[0].message, "`command` has 300,000 words (6.3 MiB), more than 6 MiB");
}

TEST(JobOverride, AStrangeWordIsNamedByItsPlace) {
  ParsedJob job;
  apply_overrides(job, {{"command", "", "the command line", {"tool", "a", "b\xff"}}});
  const auto found = check_job(job, "the command line");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "argument 2 of `command` is not UTF-8 text: b\\xff");
}

}  // namespace
}  // namespace muster
