// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/framework_rules.h"

#include <gtest/gtest.h>

#include "core/job/rules/task_types.h"

namespace muster {
namespace {

JobSpec job_of(const std::vector<std::string>& groups) {
  JobSpec spec;
  spec.framework = Framework::tensorflow;
  for (const std::string& name : groups) spec.groups.emplace_back().name = name;
  return spec;
}

std::string wrong_with(const JobSpec& spec) {
  std::string text;
  for (const Contradiction& each : framework_contradictions(spec))
    text += std::string(each.code) + " " + each.path + (each.meant.empty() ? "" : " " + each.meant) + "\n";
  return text;
}

TEST(FrameworkRules, ClustersThatTensorflowCanHave_AreNoContradiction) {
  EXPECT_EQ(wrong_with(job_of({"trainer"})), "");
  EXPECT_EQ(wrong_with(job_of({"chief", "worker"})), "");
  JobSpec spec = job_of({"chief", "worker", "ps", "evaluator"});
  spec.groups[1].workers.count = spec.groups[2].max_nodes = 4;
  EXPECT_EQ(wrong_with(spec), "");
}

TEST(FrameworkRules, AClusterWithTwoChiefs_IsRefused) {
  JobSpec spec = job_of({"chief", "worker", "evaluator"});
  spec.groups[0].workers.count = 2;
  spec.groups[2].max_nodes = 2;
  EXPECT_EQ(wrong_with(spec), "E1318 groups.0.workers\nE1318 groups.2.nodes\n");
  spec = job_of({"chief"});
  spec.groups[0].workers.automatic = true;
  EXPECT_EQ(wrong_with(spec), "E1318 groups.0.workers\n");
}

TEST(FrameworkRules, AParameterServerWithoutWorkers_IsRefused) {
  EXPECT_EQ(wrong_with(job_of({"chief", "ps"})), "E1318 groups\n");
  EXPECT_EQ(wrong_with(job_of({"evaluator"})), "E1318 groups\n");
}

TEST(FrameworkRules, AGroupThatIsNoTaskType_IsRefusedWithTheNearest) {
  EXPECT_EQ(wrong_with(job_of({"cheif", "worker"})), "E1318 groups.0.name chief\n");
}

TEST(FrameworkRules, TasksOfOneCluster_RestartTogether) {
  JobSpec spec = job_of({"chief", "worker"});
  spec.restarts.mode = RestartMode::group;
  EXPECT_EQ(wrong_with(spec), "E1318 restarts.mode\n");
  EXPECT_EQ(wrong_with(job_of({"worker"})), "");
}

TEST(FrameworkRules, AVariableOfTheAttempt_IsNotSetByTheUser) {
  JobSpec spec = job_of({"worker"});
  spec.env["TF_CONFIG"].literal = spec.groups[0].env["JAX_COORDINATOR_ADDRESS"].literal = "x";
  EXPECT_EQ(wrong_with(spec), "E1319 env.TF_CONFIG\n");
  spec.framework = Framework::jax;
  EXPECT_EQ(wrong_with(spec), "E1319 groups.0.env.JAX_COORDINATOR_ADDRESS\n");
  spec.framework = Framework::plain;
  EXPECT_EQ(wrong_with(spec), "");
}

TEST(FrameworkRules, TheAddressesAtWhichRanksMeet_AreNotSetByTheUser) {
  const std::vector<std::pair<Framework, const char*>> cases = {{Framework::jax, "JAX_COORDINATOR_PORT"},
                                                                {Framework::mpi, "OMPI_COMM_WORLD_RANK"},
                                                                {Framework::tensorflow, "TF_CONFIG"},
                                                                {Framework::mlx, "MLX_HOSTFILE"},
                                                                {Framework::mlx, "NCCL_PORT"},
                                                                {Framework::xgboost, "DMLC_TRACKER_PORT"},
                                                                {Framework::paddle, "PADDLE_MASTER"},
                                                                {Framework::paddle, "PADDLE_TRAINER_ENDPOINTS"},
                                                                {Framework::horovod, "HOROVOD_GLOO_RENDEZVOUS_PORT"}};
  for (const auto& [framework, variable] : cases) {
    JobSpec spec = job_of({"worker"});
    spec.framework = framework;
    spec.env[variable].literal = "1234";
    EXPECT_EQ(wrong_with(spec), std::string("E1319 env.") + variable + "\n");
  }
}

TEST(TaskTypes, TheOnlyGroup_IsTheWorkersWhateverItsName) {
  EXPECT_EQ(task_type(job_of({"trainer"}), 0), "worker");
  EXPECT_EQ(task_type(job_of({"chief"}), 0), "chief");
  EXPECT_EQ(task_type(job_of({"chief", "ps"}), 1), "ps");
}

}  // namespace
}  // namespace muster
