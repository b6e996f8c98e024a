// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/job/file/job_yaml.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

ParsedJob over(const std::string& job, const std::vector<std::string>& templates) {
  std::vector<ConfigLayer> runtimes;
  for (const std::string& text : templates) runtimes.push_back({"r" + std::to_string(runtimes.size()) + ".yaml", text});
  return parse_job_with_config(job, "job.yaml", {}, runtimes);
}

JobSpec spec_of(const std::string& job, const std::vector<std::string>& templates) {
  ParsedJob parsed = over(job, templates);
  EXPECT_TRUE(check_job(parsed, "job.yaml").empty()) << render_diagnostics(parsed.diagnostics, job, false);
  return parsed.spec;
}

TEST(RuntimeMerge, AKeyOfTheJobWinsAndMapsAreJoined) {
  const JobSpec spec = spec_of("command: [x]\nrestarts: {limit: 1}\nenv: {A: job}",
                               {"restarts: {limit: 9, crash_loop: 4}\nenv: {A: t, B: t}\nworkers: 3"});
  EXPECT_EQ(spec.restarts.limit, 1u);
  EXPECT_EQ(spec.restarts.crash_loop, 4u);
  EXPECT_EQ(spec.env.at("A").literal, "job");
  EXPECT_EQ(spec.env.at("B").literal, "t");
  EXPECT_EQ(spec.groups.front().workers.count, 3u);
}

TEST(RuntimeMerge, ListsAreReplaced) {
  const JobSpec spec =
      spec_of("command: [x]\nrestarts: {never_on: [exit 2]}", {"command: [y, z]\nrestarts: {never_on: [oom, hang]}"});
  EXPECT_EQ(spec.groups.front().command, std::vector<std::string>{"x"});
  EXPECT_EQ(spec.restarts.never_on.size(), 1u);
}

TEST(RuntimeMerge, AReferenceToASecretIsReplacedWhole) {
  const JobSpec spec =
      spec_of("command: [x]\nenv: {T: {from: \"env:MINE\"}}", {"env: {T: {from: \"file:x\", optional: true}}"});
  EXPECT_EQ(spec.env.at("T").secret->where, "MINE");
  EXPECT_FALSE(spec.env.at("T").secret->optional);
}

TEST(RuntimeMerge, AKeyWithNothingBelowItIsSilent) {
  EXPECT_EQ(spec_of("command: [x]\nrestarts:\n", {"restarts: {limit: 2}"}).restarts.limit, 2u);
}

TEST(RuntimeMerge, TheNearerTemplateWins) {
  const JobSpec spec = spec_of("command: [x]", {"labels: {a: near}", "labels: {a: far, b: far}"});
  EXPECT_EQ(spec.labels, (std::map<std::string, std::string>{{"a", "near"}, {"b", "far"}}));
}

TEST(RuntimeMerge, ItsOwnWordsAreNotTheJobs) {
  EXPECT_EQ(spec_of("command: [x]", {"description: a sentence\nruntime: other"}).groups.size(), 1u);
  const ParsedJob named = over("command: [x]", {"name: all\ntty: 0"});
  ASSERT_EQ(named.diagnostics.size(), 2u);
  EXPECT_EQ(named.diagnostics.front().where.file, "r0.yaml");
  EXPECT_EQ(named.diagnostics.front().code, "E1203");
  EXPECT_TRUE(named.spec.name.empty());
}

TEST(RuntimeMerge, MistakesStandInTheirOwnFile) {
  const ParsedJob parsed = over("command: [x]", {"workers: 1", "worker:\n  gpu: many"});
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_EQ(parsed.diagnostics.front().where.file, "r1.yaml");
  EXPECT_EQ(parsed.diagnostics.front().where.line, 2u);
}

TEST(RuntimeMerge, OneThatCannotBeReadIsToldAndTheRestIsReadOn) {
  const ParsedJob parsed = over("command: [x]\nworkers: none", {"a: [", "workers: 2"});
  ASSERT_EQ(parsed.diagnostics.size(), 2u);
}

TEST(RuntimeMerge, ChainsOfGroupsOfEveryForm) {
  const std::string two = "groups: [{name: a, command: [x], workers: 2}, {name: b, command: [y]}]";
  EXPECT_EQ(spec_of("groups: [{name: b, command: [z]}]", {two}).groups.size(), 2u);
  EXPECT_EQ(spec_of("groups: [{name: c, command: [z]}]", {two}).groups.size(), 3u);
  EXPECT_EQ(spec_of("workers: 5", {"groups: [{name: a, command: [x], workers: 2}]"}).groups.front().workers.count, 5u);
  EXPECT_EQ(spec_of("restarts: {limit: 1}", {two}).groups.front().workers.count, 2u);
  EXPECT_EQ(over("workers: 5", {two}).diagnostics.front().code, "E1303");
  EXPECT_EQ(spec_of("groups: [{command: [z]}]", {"groups: [{name: a, command: [x], workers: 2}]"}).groups.size(), 1u);
}

TEST(RuntimeMerge, TextAtReadsOnlyTexts) {
  EXPECT_EQ(text_at("runtime: base\n", "f", "runtime")->text, "base");
  EXPECT_EQ(text_at("a: 1\nruntime: base\n", "f", "runtime")->where.line, 2u);
  EXPECT_FALSE(text_at("runtime: [a]", "f", "runtime"));
  EXPECT_FALSE(text_at("[", "f", "runtime"));
  EXPECT_FALSE(text_at("", "f", "runtime"));
}

}  // namespace
}  // namespace muster
