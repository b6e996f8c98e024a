// SPDX-License-Identifier: Apache-2.0
// JAX, TensorFlow, XGBoost, MLX, Horovod and frameworks of the user.
#include <gtest/gtest.h>

#include "core/framework/gang_test.h"

namespace muster {
namespace {

TEST(Jax, OnOneMachine_TheServiceListensOnLoopbackOnly) {
  Gang gang(Framework::jax);
  EXPECT_EQ(gang.variables(3).count("JAX_COORDINATOR_BIND_ADDRESS"), 0u);
  gang.place.endpoints.edit(0).address = "127.0.0.1";
  EXPECT_EQ(gang.variables(3).at("JAX_COORDINATOR_ADDRESS"), "127.0.0.1:23456");
  EXPECT_EQ(gang.variables(3).at("JAX_COORDINATOR_BIND_ADDRESS"), "127.0.0.1:23456");
}

TEST(Jax, ARankWithSeveralGpus_UsesItsOwn) {
  Gang gang(Framework::jax);
  gang.plan.ranks[2].gpus.push_back({4, "GPU-4", "", 0, -1});
  EXPECT_EQ(gang.variables(2).at("JAX_LOCAL_DEVICE_IDS"), "0,1");
  EXPECT_EQ(gang.variables(3).at("JAX_LOCAL_DEVICE_IDS"), "2");
  EXPECT_EQ(gang.variables(3).at("CUDA_VISIBLE_DEVICES"), "GPU-2,GPU-4,GPU-3");
  gang.plan.ranks[3].gpus.clear();
  EXPECT_EQ(gang.variables(3).count("JAX_LOCAL_DEVICE_IDS"), 0u);
}

TEST(Jax, GroupsWithWorldsOfTheirOwn_HaveCoordinatorsOfTheirOwn) {
  Gang gang(Framework::jax);
  gang.spec.groups.resize(2);
  gang.plan.ranks[1].group = 1;
  gang.place.endpoints.push_back({"10.0.0.9", 9});
  EXPECT_EQ(gang.variables(1).at("JAX_COORDINATOR_ADDRESS"), "10.0.0.9:9");
}

TEST(Tensorflow, GroupsAreTheTasksOfTheCluster) {
  Gang gang(Framework::tensorflow);
  gang.lease_ports();
  gang.spec.groups.resize(4);
  const char* const names[] = {"chief", "worker", "ps", "evaluator"};
  for (uint32_t i = 0; i < 4; ++i) {
    gang.spec.groups[i].name = names[i];
    gang.plan.ranks[i].group = i;
    gang.plan.ranks[i].rank = gang.plan.ranks[i].world_rank = 0;
  }
  const std::string tasks = R"("chief":["10.0.0.1:20001"],"worker":["10.0.0.1:20003"],"ps":["10.0.0.2:20005"])";
  EXPECT_EQ(gang.variables(2).at("TF_CONFIG"), R"({"cluster":{)" + tasks + R"(},"task":{"type":"ps","index":0}})");
  EXPECT_EQ(gang.variables(3).at("TF_CONFIG"),
            R"({"cluster":{)" + tasks + R"(,"evaluator":["10.0.0.2:20007"]},"task":{"type":"evaluator","index":0}})");
}

TEST(Tensorflow, APortThatIsNotLeasedYet_LeavesTheVariableUnset) {
  EXPECT_EQ(Gang(Framework::tensorflow).variables(0).count("TF_CONFIG"), 0u);
}

TEST(Tensorflow, Ranks_ReachTheNodesWithoutAProxy) {
  Gang gang(Framework::tensorflow);
  EXPECT_EQ(framework_variables(gang.view(0)).gaps.at("no_grpc_proxy"), "10.0.0.1,10.0.0.2");
  gang.spec.framework = Framework::jax;
  EXPECT_EQ(framework_variables(gang.view(0)).gaps.at("no_grpc_proxy"), "10.0.0.1");
}

TEST(Jax, InsideAnAllocationOfSlurm_ItsJobIdStays) {
  const Gang gang(Framework::jax);
  const RankVariables variables = framework_variables(gang.view(1));
  EXPECT_EQ(variables.gaps.count("SLURM_JOB_ID"), 1u);
  EXPECT_EQ(variables.gaps.count("SLURM_STEP_NODELIST"), 1u);
  EXPECT_EQ(variables.over.at("SLURM_PROCID"), "1");
}

TEST(Tensorflow, EachRankNeedsATcpPort) {
  const Gang gang(Framework::tensorflow);
  EXPECT_EQ(node_ports(framework_info(Framework::tensorflow), gang.spec, gang.plan, 1),
            (PortCounts{{"rank-0", 1}, {"rank-1", 1}}));
}

TEST(Xgboost, RanksAreNumberedByTextsOfTheSameLength) {
  Gang gang(Framework::xgboost);
  EXPECT_EQ(gang.variables(3).at("DMLC_TASK_ID"), "3");
  for (PlannedRank& rank : gang.plan.ranks) rank.world_size = 101;
  EXPECT_EQ(gang.variables(3).at("DMLC_TASK_ID"), "003");
}

TEST(Xgboost, TheTrackerIsRunByRankZeroOnlyWhenAsked) {
  Gang gang(Framework::xgboost);
  const auto tracker = service_program(gang.view(0));
  ASSERT_TRUE(tracker);
  EXPECT_EQ(tracker->argv, (std::vector<std::string>{"10.0.0.1", "23456", "4"}));
  EXPECT_EQ(tracker->here, (Endpoint{"10.0.0.1", 23456}));
  gang.spec.store = StoreHost::program;
  EXPECT_FALSE(service_program(gang.view(0)));
}

TEST(Mlx, ARankThatIsAlone_FormsNoRing) {
  Gang gang(Framework::mlx);
  gang.lease_ports();
  EXPECT_EQ(framework_files(gang.view(0)).count("MLX_HOSTFILE"), 1u);
  for (PlannedRank& rank : gang.plan.ranks) rank.world_size = 1;
  EXPECT_TRUE(framework_files(gang.view(0)).empty());
}

TEST(Custom, AServiceThatNamesItsPort_IsWaitedFor) {
  Gang gang(Framework::custom);
  EXPECT_FALSE(service_program(gang.view(0)));
  gang.spec.service = {"./server", "--ranks=${world_size}"};
  EXPECT_EQ(service_program(gang.view(0))->argv, (std::vector<std::string>{"./server", "--ranks=4"}));
  EXPECT_EQ(service_program(gang.view(0))->here.port, 0);
  gang.spec.service.emplace_back("${master_port}");
  EXPECT_EQ(service_program(gang.view(0))->argv.back(), "23456");
  EXPECT_EQ(service_program(gang.view(0))->here.port, 23456);
}

TEST(Horovod, ANodeWithFewerRanks_IsNotCountedForTheOthers) {
  Gang gang(Framework::horovod);
  gang.plan.ranks.pop_back();
  gang.plan.nodes[1].ranks = {2};
  EXPECT_EQ(gang.variables(0).at("HOROVOD_CROSS_SIZE"), "2");
  EXPECT_EQ(gang.variables(1).at("HOROVOD_CROSS_SIZE"), "1");
  EXPECT_EQ(gang.variables(2).at("HOROVOD_CROSS_RANK"), "1");
}

}  // namespace
}  // namespace muster
