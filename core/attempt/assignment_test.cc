// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

EnvValue literal(const std::string& text) { return {text, std::nullopt}; }
EnvValue secret() { return {"", SecretSource{SecretSource::Kind::file, "/run/token", false}}; }

Submission submission_with(uint32_t ranks) {
  Submission submission;
  submission.name = "fashion";
  submission.spec.groups.resize(1);
  submission.spec.groups[0].command = {"train"};
  submission.spec.workdir = "/home/user";
  submission.plan.nodes = {{0, 0, "here", {}}};
  for (uint32_t i = 0; i < ranks; ++i) {
    PlannedRank rank;
    rank.rank = rank.world_rank = rank.local_rank = i;
    rank.world_size = rank.local_size = ranks;
    submission.plan.ranks.push_back(rank);
    submission.plan.nodes[0].ranks.push_back(i);
  }
  return submission;
}

std::vector<RankTask> tasks(const Submission& submission, const JobSecrets& secrets) {
  AttemptPlace place;
  place.attempt = 2;
  place.endpoints = {{"127.0.0.1", 20001}};
  return tasks_of(submission, secrets, 0, place, [&](const PlannedRank& rank, OutputStream stream) {
    return rank_file(submission.spec, rank) + (stream == OutputStream::out ? ".out" : ".err");
  });
}

TEST(Assignment, EachRankOfTheNodeGetsATaskWithFilesOfItsOwn) {
  const std::vector<RankTask> all = tasks(submission_with(2), {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].index, 1u);
  EXPECT_EQ(all[1].argv, (std::vector<std::string>{"train"}));
  EXPECT_EQ(all[0].stdout_path, "worker-0.out");
  EXPECT_EQ(all[1].stderr_path, "worker-1.err");
  EXPECT_EQ(all[1].environment.at("MUSTER_RANK"), "1");
  EXPECT_EQ(all[1].environment.at("MUSTER_ATTEMPT"), "2");
}

TEST(Assignment, TheGroupsVariablesLieOverTheJobsAndThoseOverTheFrameworks) {
  Submission submission = submission_with(1);
  submission.spec.framework = Framework::torch;
  submission.spec.env = {{"A", literal("job")}, {"B", literal("job")}, {"MASTER_PORT", literal("29500")}};
  submission.spec.groups[0].env = {{"B", literal("group")}};
  const RankTask task = tasks(submission, {})[0];
  EXPECT_EQ(task.environment.at("A"), "job");
  EXPECT_EQ(task.environment.at("B"), "group");
  EXPECT_EQ(task.environment.at("MASTER_PORT"), "29500");
}

TEST(Assignment, AFrameworksDefaultsFillOnlyWhatTheShellLeavesOpen) {
  Submission submission = submission_with(2);
  submission.spec.framework = Framework::torch;
  EXPECT_EQ(tasks(submission, {})[0].environment.count("OMP_NUM_THREADS"), 1u);
  const JobSecrets shell{{{"OMP_NUM_THREADS", "8"}}, {}};
  EXPECT_EQ(tasks(submission, shell)[0].environment.count("OMP_NUM_THREADS"), 0u);
  EXPECT_EQ(bind_of(submission, shell, 0, {}).environment.at("OMP_NUM_THREADS"), "8");
}

TEST(Assignment, PythonUnbuffered_AnyProgram_SetUnlessTheShellHasAValue) {
  EXPECT_EQ(tasks(submission_with(1), {})[0].environment.at("PYTHONUNBUFFERED"), "1") << "a script may start Python";
  for (const char* own : {"0", "x", ""}) {
    JobSecrets shell;
    shell.environment = {{"PYTHONUNBUFFERED", own}};
    EXPECT_EQ(tasks(submission_with(1), shell)[0].environment.count("PYTHONUNBUFFERED"), 0u) << own;
  }
}

TEST(Assignment, Launcher_GetsHostFilesOfItsWorkers) {
  Submission submission = submission_with(1);
  submission.spec.groups.push_back(submission.spec.groups[0]);
  submission.spec.groups[0].name = "launcher";
  submission.spec.groups[0].env = {{"MUSTER_MPIRUN_GROUPS", literal("worker")}, {"MUSTER_MPIRUN_SLOTS", literal("4")}};
  submission.spec.groups[1].name = "worker";
  submission.plan.nodes.push_back({1, 1, "a2", {1}});
  submission.plan.ranks.push_back(submission.plan.ranks[0]);
  const auto files = files_of(submission, 0, {});
  EXPECT_EQ(files.at("OMPI_MCA_orte_default_hostfile"), "a2 slots=4\n");
  EXPECT_EQ(files.at("HYDRA_HOST_FILE"), "a2:4\n");
  EXPECT_TRUE(files_of(submission, 1, {}).empty());
}

TEST(Assignment, Window_OnlyASingleRankHasTheTerminal) {
  JobSecrets secrets;
  secrets.streams.window = CallerWindow{30, 100, false};
  EXPECT_TRUE(tasks(submission_with(1), secrets)[0].tty);
  EXPECT_FALSE(tasks(submission_with(2), secrets)[0].tty);
  EXPECT_FALSE(tasks(submission_with(1), {})[0].tty);
  EXPECT_EQ(carried(secrets).streams, CallerStreams()) << "a node elsewhere cannot open them";
}

TEST(Assignment, ASecretIsItsResolvedValueAndLeftUnsetWhenThereIsNone) {
  Submission submission = submission_with(1);
  submission.spec.env = {{"TOKEN", secret()}, {"ABSENT", secret()}};
  const RankTask task = tasks(submission, {{}, {{"TOKEN", "s3cret"}}})[0];
  EXPECT_EQ(task.environment.at("TOKEN"), "s3cret");
  EXPECT_EQ(task.environment.count("ABSENT"), 0u);
}

TEST(Assignment, Secrets_AreNoVariablesOfAWarmParent) {
  Submission submission = submission_with(1);
  submission.spec.framework = Framework::torch;
  submission.spec.env = {{"NAMED", secret()}, {"LR", literal("0.1")}, {"HF_TOKEN", literal("hf_0123456789abcdef")}};
  submission.spec.groups[0].env = {{"OF_GROUP", secret()}};
  const JobSecrets secrets{{{"WANDB_API_KEY", "0123456789abcdef0123"}, {"EDITOR", "vi"}}, {{"NAMED", "x"}}, {}, {}};
  const std::optional<WarmTask> warm = warm_of(submission.spec, secrets);
  ASSERT_TRUE(warm);
  for (const char* name : {"NAMED", "HF_TOKEN", "OF_GROUP", "WANDB_API_KEY", "RANK"})
    EXPECT_EQ(warm->place.count(name), 1u) << name;
  for (const char* name : {"LR", "EDITOR"}) EXPECT_EQ(warm->place.count(name), 0u) << name;
}

// Two nodes of this machine with two ranks each; the second group has a node of its own.
Submission mpi_submission() {
  Submission submission = submission_with(2);
  submission.spec.framework = Framework::mpi;
  submission.spec.groups.resize(2);
  submission.plan.nodes = {{0, 0, "here", {0, 1}}, {1, 0, "here", {2, 3}}, {2, 1, "there", {4}}};
  submission.plan.ranks.resize(5);
  for (uint32_t i = 0; i < 5; ++i) {
    submission.plan.ranks[i].group = i == 4 ? 1 : 0;
    submission.plan.ranks[i].node = i / 2;
    submission.plan.ranks[i].world_rank = i;
  }
  return submission;
}

TEST(Assignment, Mpi_NodesOfOneHost_HaveNamesOfTheirOwn) {
  Submission submission = mpi_submission();
  submission.spec.world = World::shared;
  const std::optional<MpiTask> task = mpi_of(submission, 1, 3);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->name_space, "muster-" + submission.id.text() + "-3");
  EXPECT_EQ(task->nodes, (std::vector<MpiNode>{
                             {"here-node-0", {0, 1}, {0, 0}}, {"here-node-1", {2, 3}, {0, 0}}, {"there", {4}, {1}}}));
  EXPECT_EQ(task->node, 1u);
  EXPECT_EQ(task->indices, (std::vector<uint32_t>{2, 3}));
}

TEST(Assignment, Mpi_ProgramsOfOneGroup_AreCounted) {
  Submission submission = submission_with(3);
  submission.spec.framework = Framework::mpi;
  submission.spec.groups[0].env["MUSTER_MPI_PROGRAMS"] = literal("1=/opt/a:3=./b");
  EXPECT_EQ(mpi_of(submission, 0, 1)->nodes[0].apps, (std::vector<uint32_t>{0, 1, 1}));
  submission.spec.groups[0].env["MUSTER_MPI_PROGRAMS"] = literal("3=/opt/a");
  EXPECT_TRUE(mpi_of(submission, 0, 1)->nodes[0].apps.empty());
}

TEST(Assignment, Mpi_OneProgramInSeveralGroups_IsOneProgram) {
  Submission submission = mpi_submission();
  submission.spec.world = World::shared;
  for (GroupSpec& group : submission.spec.groups) group.env["MUSTER_MPI_APP"] = literal("0");
  EXPECT_TRUE(mpi_of(submission, 0, 1)->nodes[2].apps.empty());
}

TEST(Assignment, Mpi_GroupsWithWorldsOfTheirOwn_AreSeparate) {
  Submission submission = mpi_submission();
  submission.spec.world = World::own;
  submission.plan.ranks[4].world_rank = 0;
  const std::optional<MpiTask> task = mpi_of(submission, 2, 1);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->name_space, "muster-" + submission.id.text() + "-1-1");
  EXPECT_EQ(task->nodes, (std::vector<MpiNode>{{"there", {0}}}));
  EXPECT_EQ(task->node, 0u);
}

TEST(Assignment, Mpi_AnotherFrameworkOrANodeWithoutRanks_HasNoTask) {
  Submission submission = mpi_submission();
  submission.plan.nodes[2].ranks.clear();
  EXPECT_FALSE(mpi_of(submission, 2, 1));
  submission.spec.framework = Framework::torch;
  EXPECT_FALSE(mpi_of(submission, 0, 1));
}

TEST(Assignment, AServiceProgram_RunsOnTheFirstNodeOfEachWorld) {
  Submission submission = mpi_submission();
  submission.spec.framework = Framework::xgboost;
  AttemptPlace place;
  place.endpoints = {{"10.0.0.1", 20001}, {"10.0.0.3", 20003}};
  submission.spec.world = World::own;
  ASSERT_TRUE(program_of(submission, 0, place));
  EXPECT_EQ(program_of(submission, 0, place)->here, (Endpoint{"10.0.0.1", 20001}));
  EXPECT_FALSE(program_of(submission, 0, place)->elsewhere);
  ASSERT_TRUE(program_of(submission, 2, place));
  EXPECT_EQ(program_of(submission, 2, place)->here, (Endpoint{"10.0.0.3", 20003}));
  EXPECT_FALSE(program_of(submission, 2, place)->elsewhere);
}

TEST(Assignment, AServiceProgram_OtherNodesOfItsWorldWaitForIt) {
  Submission submission = mpi_submission();
  submission.spec.framework = Framework::custom;
  submission.spec.world = World::shared;
  submission.spec.service = {"./server", "${master_port}"};
  AttemptPlace place;
  place.endpoints = {{"10.0.0.1", 20001}, {"10.0.0.1", 20001}};
  const ServiceProgram awaited{"the command of `service`", "", {}, {"10.0.0.1", 20001}, true};
  EXPECT_EQ(program_of(submission, 1, place), awaited);
  EXPECT_EQ(program_of(submission, 2, place), awaited);
  submission.spec.service = {"./server"};
  EXPECT_TRUE(program_of(submission, 0, place));
  EXPECT_FALSE(program_of(submission, 1, place));
}

TEST(Assignment, FilesOfRanks_AreThoseOfTheFramework) {
  Submission submission = mpi_submission();
  submission.spec.framework = Framework::mlx;
  submission.spec.world = World::shared;
  AttemptPlace place;
  place.endpoints = {{"10.0.0.1", 20001}};
  place.addresses = {"10.0.0.1", "10.0.0.1", "10.0.0.3"};
  EXPECT_TRUE(files_of(submission, 1, place).empty()) << "the ports are not known yet";
  place.ports = {{{"rank-0", {20002}}}, {{"rank-0", {20003}}}, {{"rank-0", {20004}}}};
  submission.plan.ranks = {submission.plan.ranks[0], submission.plan.ranks[2], submission.plan.ranks[4]};
  for (uint32_t i = 0; i < 3; ++i) submission.plan.ranks[i].world_rank = i;
  for (PlannedRank& rank : submission.plan.ranks) rank.world_size = 3;
  for (uint32_t i = 0; i < 3; ++i) submission.plan.nodes[i].ranks = {i};
  EXPECT_EQ(files_of(submission, 1, place).at("MLX_HOSTFILE"),
            "[[\"10.0.0.1:20002\"],[\"10.0.0.1:20003\"],[\"10.0.0.3:20004\"]]");
}

TEST(Assignment, SetupIsKnownByAllThatItDependsOn) {
  Submission submission = submission_with(2);
  EXPECT_EQ(setup_of(submission, {}, 0, {}), std::nullopt);
  submission.spec.setup = {{"pip", "install", "torch"}};
  submission.spec.env = {{"TOKEN", secret()}, {"LEVEL", literal("1")}};
  const auto identity = [&](const std::string& token) {
    return setup_of(submission, {{}, {{"TOKEN", token}}}, 0, {})->identity;
  };
  const std::string before = identity("s3cret");
  EXPECT_EQ(before.find("s3cret"), std::string::npos);
  EXPECT_EQ(identity("renewed"), before);
  submission.spec.env["LEVEL"] = literal("2");
  EXPECT_NE(identity("s3cret"), before);
  submission.spec.env["LEVEL"] = literal("1");
  submission.code_hash = "0123";
  EXPECT_NE(identity("s3cret"), before);
  submission.code_hash = "";
  submission.spec.setup.push_back({"make"});
  EXPECT_NE(identity("s3cret"), before);
}

TEST(Assignment, SetupInAnImage_BelongsToTheImageAndTheJob) {
  Submission submission = submission_with(2);
  submission.spec.setup = {{"make"}};
  const auto identity = [&] { return setup_of(submission, {}, 0, {})->identity; };
  const std::string outside = identity();
  submission.spec.in_image.image = "train:7";
  const std::string inside = identity();
  EXPECT_NE(inside, outside);
  submission.spec.in_image.image = "train:8";
  EXPECT_NE(identity(), inside);
  submission.spec.in_image.image = "train:7";
  EXPECT_EQ(identity(), inside);
  submission.id = *JobId::parse("aaaaaaaaaaaaaaaaaaaaaaaabq");
  EXPECT_NE(identity(), inside);
}

TEST(Assignment, SetupHasTheEnvironmentOfRanksAndPrintsBesideTheFirst) {
  Submission submission = submission_with(2);
  submission.spec.python.venv = ".venv";
  submission.spec.env = {{"TOKEN", secret()}, {"LEVEL", literal("job")}};
  submission.spec.groups[0].env = {{"LEVEL", literal("group")}};
  BindTerms terms;
  terms.attempt = 3;
  terms.setup_output = "there/worker-0.setup";
  const std::optional<SetupTask> task = bind_of(submission, {{}, {{"TOKEN", "s3cret"}}}, 0, terms).setup;
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(task->environment.at("LEVEL"), "group");
  EXPECT_EQ(task->environment.at("TOKEN"), "s3cret");
  EXPECT_EQ(task->environment.at("MUSTER_NODE"), "0");
  EXPECT_EQ(task->venv, ".venv");
  EXPECT_EQ(task->host, "here");
  EXPECT_EQ(std::make_tuple(task->attempt, task->index, task->output_path),
            std::make_tuple(3u, 0u, std::string("there/worker-0.setup")));
}

TEST(Assignment, AWorldSharedByGroupsStillNamesFilesByGroup) {
  Submission submission = submission_with(1);
  submission.spec.groups[0].name = "trainer";
  submission.plan.ranks[0].world_rank = 7;
  EXPECT_EQ(rank_file(submission.spec, submission.plan.ranks[0]), "trainer-0");
}

TEST(Assignment, WhatOnlyTheFrameworkSaysGivesWayToAHost) {
  Submission submission = submission_with(2);
  submission.spec.framework = Framework::torch;
  EXPECT_THAT(tasks(submission, {})[0].gaps, testing::Contains("OMP_NUM_THREADS"));
  submission.spec.env = {{"OMP_NUM_THREADS", literal("3")}};
  const RankTask task = tasks(submission, {})[0];
  EXPECT_THAT(task.gaps, testing::Not(testing::Contains("OMP_NUM_THREADS")));
  EXPECT_EQ(task.environment.at("OMP_NUM_THREADS"), "3");
}

// Others are set anew for the ranks of an mpirun inside.
TEST(Assignment, VariablesOfTheFramework_AreOnlyForTheRankUnlessTheUserSetsThem) {
  Submission submission = submission_with(2);
  submission.spec.framework = Framework::torch;
  const auto only = [&] { return tasks(submission, {})[0].rank_only; };
  EXPECT_THAT(only(), testing::IsSupersetOf({"OMP_NUM_THREADS", "NCCL_RAS_ADDR"}));
  for (const char* name : {"RANK", "MUSTER_RANK", "CUDA_VISIBLE_DEVICES"})
    EXPECT_THAT(only(), testing::Not(testing::Contains(name)));
  submission.spec.env = {{"OMP_NUM_THREADS", literal("1")}};
  EXPECT_THAT(only(), testing::Not(testing::Contains("OMP_NUM_THREADS"))) << "also with the same value";
  submission.spec.framework = Framework::jax;
  EXPECT_THAT(only(), testing::IsSupersetOf({"JAX_PROCESS_ID", "SLURM_NTASKS", "JAX_COORDINATOR_ADDRESS"}));
  submission.spec.framework = Framework::custom;
  submission.spec.custom = {{"MY_RANK", "${rank}"}, {"LEVEL", "high"}};
  EXPECT_THAT(only(), testing::Contains("MY_RANK"));
  EXPECT_THAT(only(), testing::Not(testing::Contains("LEVEL")));
}

}  // namespace
}  // namespace muster
