// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/validate.h"

#include <gtest/gtest.h>

#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

JobSpec fine() {
  JobSpec spec;
  GroupSpec group;
  group.command = {"./train"};
  spec.groups = {group};
  return spec;
}

std::string code_of(const JobSpec& spec) {
  const auto found = validate(spec, "job.yaml");
  return found.empty() ? "" : found[0].code;
}

TEST(Validate, DefaultsWithACommandAreFine) { EXPECT_EQ(code_of(fine()), ""); }

TEST(Validate, NamesOfJobsAndGroups) {
  JobSpec spec = fine();
  spec.name = "My_Job";
  const auto found = validate(spec, "job.yaml");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "E1205");
  EXPECT_EQ(found[0].suggestions, std::vector<std::string>{"my-job"});
  spec = fine();
  spec.groups[0].name = "-";
  EXPECT_EQ(code_of(spec), "E1206");
  spec = fine();
  spec.groups.push_back(spec.groups[0]);
  EXPECT_EQ(code_of(spec), "E1207");
}

TEST(Validate, SomethingMustRun) {
  JobSpec spec;
  EXPECT_EQ(code_of(spec), "E1305");
  spec = fine();
  spec.groups[0].command = {};
  EXPECT_EQ(code_of(spec), "E1304");
  spec.groups[0].command = {""};
  EXPECT_EQ(code_of(spec), "E1304");
  spec = fine();
  spec.groups[0].success = SuccessRule::ignore;
  EXPECT_EQ(code_of(spec), "E1311");
}

TEST(Validate, CountsHaveLimits) {
  JobSpec spec = fine();
  spec.groups[0].min_nodes = 0;
  EXPECT_EQ(code_of(spec), "E1103");
  spec = fine();
  spec.groups[0].workers = {false, 0};
  EXPECT_EQ(code_of(spec), "E1103");
  spec = fine();
  spec.groups[0].min_nodes = 2;
  EXPECT_EQ(code_of(spec), "E1301");
  spec = fine();
  spec.groups[0].max_nodes = 100'000;
  EXPECT_EQ(code_of(spec), "");
  spec.groups[0].workers = {false, 2};
  EXPECT_EQ(code_of(spec), "E1307");
  spec.groups[0].max_nodes = UINT32_MAX;
  spec.groups[0].workers = {false, UINT32_MAX};
  EXPECT_EQ(code_of(spec), "E1307");
}

TEST(Validate, Contradictions) {
  JobSpec spec = fine();
  spec.restarts.never_on = {{FailureRule::Kind::oom, 0}, {FailureRule::Kind::signal, 7}};
  spec.restarts.always_on = {{FailureRule::Kind::signal, 7}};
  const auto found = validate(spec, "job.yaml");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "`SIGBUS` is in never_on and in always_on");
  spec = fine();
  spec.restarts.max_backoff = Duration(1);
  EXPECT_EQ(code_of(spec), "E1301");
}

TEST(Validate, AServiceIsNoRank) {
  JobSpec spec = fine();
  spec.service = {"./server", "${master_address}", "${master_port}", "${world_size}"};
  EXPECT_EQ(code_of(spec), "E1313");
  spec.framework = Framework::custom;
  EXPECT_EQ(code_of(spec), "");
  for (const char* word : {"${rank}", "${local_rank}", "${group_rank}", "${port}", "x${port_2}", "${rnak}", "$x"}) {
    spec.service = {"./server", word};
    EXPECT_EQ(code_of(spec), "E1314") << word;
  }
}

TEST(Validate, AHangTakesASecondToSee) {
  JobSpec spec = fine();
  spec.hangs.after = std::chrono::milliseconds(500);
  EXPECT_EQ(code_of(spec), "E1103");
  spec.hangs.after = std::chrono::seconds(1);
  EXPECT_EQ(code_of(spec), "");
  spec.hangs.after = Duration(0);
  EXPECT_EQ(code_of(spec), "");
}

TEST(Validate, ATerminalBelongsToARank) {
  JobSpec spec = fine();
  spec.groups[0].workers = {false, 2};
  spec.tty_rank = 1;
  EXPECT_EQ(code_of(spec), "");
  spec.tty_rank = 2;
  EXPECT_EQ(code_of(spec), "E1306");
  spec.groups[0].workers = {true, 0};
  EXPECT_EQ(code_of(spec), "");
}

TEST(Validate, EnvironmentsFitExecve) {
  JobSpec spec = fine();
  spec.env["A=B"].literal = "x";
  EXPECT_EQ(code_of(spec), "E1208");
  spec = fine();
  spec.groups[0].env[""].literal = "x";
  EXPECT_EQ(code_of(spec), "E1208");
  spec = fine();
  spec.env["A"].literal = "\xff";
  EXPECT_EQ(code_of(spec), "E1310");
  spec = fine();
  spec.env["A"].literal = std::string(128 * 1024 - 3, 'x');
  EXPECT_EQ(code_of(spec), "");
  spec.env["A"].literal += 'x';
  EXPECT_EQ(code_of(spec), "E1309");
  spec = fine();
  for (int i = 0; i < 49; ++i) spec.env["A" + std::to_string(i)].literal = std::string(127 * 1024, 'x');
  EXPECT_EQ(code_of(spec), "E1309");
  spec = fine();
  spec.env["A"].secret = SecretSource{SecretSource::Kind::env, "B=C", false};
  EXPECT_EQ(code_of(spec), "E1111");
}

TEST(Validate, CommandsFitExecve) {
  JobSpec spec = fine();
  spec.groups[0].command.push_back(std::string(128 * 1024 - 1, 'x'));
  EXPECT_EQ(code_of(spec), "");
  spec.groups[0].command.back() += 'x';
  EXPECT_EQ(code_of(spec), "E1309");
  spec = fine();
  spec.groups[0].command.push_back(std::string("a\0b", 3));
  EXPECT_EQ(code_of(spec), "E1310");
}

TEST(Validate, AGlobOfThousandsOfFiles_IsFine) {
  JobSpec spec = fine();
  spec.groups[0].workers = {false, 8};
  for (int i = 0; i < 4000; ++i)
    spec.groups[0].command.push_back("/data/imagenet/train/shard-" + std::to_string(i) + ".tar");
  EXPECT_EQ(code_of(spec), "");
  EXPECT_EQ(parse_job_json(spec_to_json(spec), "journal").spec, spec);
}

TEST(Validate, AsManyWordsAsLinuxTakes_AreFine) {
  JobSpec spec = fine();
  spec.groups[0].workers = {false, 1};
  spec.groups[0].command.insert(spec.groups[0].command.end(), 500'000, "ab");
  EXPECT_EQ(code_of(spec), "");
  EXPECT_EQ(parse_job_json(spec_to_json(spec), "journal").spec, spec);
  spec.groups[0].command.insert(spec.groups[0].command.end(), 100'000, "ab");
  EXPECT_EQ(code_of(spec), "E1309");
}

TEST(Validate, CommandsOfAllRanksOfANode_AreLimitedTogether) {
  JobSpec spec = fine();
  spec.groups[0].command.insert(spec.groups[0].command.end(), 8, std::string(100 * 1024, 'x'));
  spec.groups[0].workers = {false, 40};
  EXPECT_EQ(code_of(spec), "");
  spec.groups[0].workers = {false, 41};
  EXPECT_EQ(code_of(spec), "E1309");
}

TEST(Validate, AJobThatCannotBeReadBackIsTooLarge) {
  JobSpec spec = fine();
  for (int i = 0; i < 90; ++i) {
    GroupSpec group = spec.groups[0];
    group.name = "g" + std::to_string(i);
    group.env["A"].literal = std::string(100 * 1024, 'x');
    spec.groups.push_back(group);
  }
  EXPECT_EQ(code_of(spec), "E1309");
}

TEST(Validate, Labels) {
  JobSpec spec = fine();
  spec.labels["team"] = "vision & co";
  EXPECT_EQ(code_of(spec), "");
  spec.labels[""] = "x";
  EXPECT_EQ(code_of(spec), "E1209");
}

TEST(Validate, PlacesFallBackToWhatEncloses) {
  JobSpec spec = fine();
  spec.groups[0].command = {};
  const SourceRange group{"job.yaml", 3, 5, 1};
  EXPECT_EQ(validate(spec, "origin", {{"groups.0", group}})[0].where, group);
  EXPECT_EQ(validate(spec, "origin")[0].where, (SourceRange{"origin", 0, 0, 1}));
}

TEST(Validate, CheckJobLeavesOutWhatFollows) {
  const auto codes = [](const char* text) {
    std::string all;
    for (const auto& each : check_job(parse_job(text, "job.yaml"), "job.yaml")) all += each.code + " ";
    return all;
  };
  EXPECT_EQ(codes("command: python train.py"), "E1112 ");
  EXPECT_EQ(codes("comand: [python]"), "E1201 ");
  EXPECT_EQ(codes("nodes: 2"), "E1304 ");
  EXPECT_EQ(codes("name: A_B\ncommand: [x]\nframework: troch"), "E1205 E1204 ");
}

}  // namespace
}  // namespace muster
