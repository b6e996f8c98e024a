// SPDX-License-Identifier: Apache-2.0
#include "core/framework/framework.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/job/template_text.h"

namespace muster {
namespace {

// Two nodes with two ranks each, a GPU for every rank.
struct Gang {
  explicit Gang(Framework framework) {
    spec.framework = framework;
    spec.groups.resize(1);
    spec.groups[0].command = {"python3", "-u", "train.py", "--lr=1"};
    spec.restarts.limit = 3;
    for (uint32_t i = 0; i < 4; ++i) plan.ranks.push_back(rank(i));
    plan.nodes = {{0, 0, "ares", {0, 1}}, {1, 0, "bern", {2, 3}}};
    place.attempt = 2;
    place.restarts = 1;
    place.job_name = "fashion";
    place.job = *JobId::parse("aaaaaaaaaaaaaaaaaaaaaaaaaa");
    place.endpoints = {{"10.0.0.1", 23456}};
    place.addresses = {"10.0.0.1", "10.0.0.2"};
  }

  static PlannedRank rank(uint32_t number) {
    PlannedRank rank;
    rank.rank = rank.world_rank = number;
    rank.local_rank = number % 2;
    rank.node = rank.group_node = number / 2;
    rank.world_size = 4;
    rank.local_size = rank.group_nodes = 2;
    rank.gpus = {{number % 2, "GPU-" + std::to_string(number), "", 0, -1}};
    return rank;
  }

  // Two for each rank: 20001 and 20002 on the first node, and so on.
  void lease_ports() {
    place.ports = {{{"rank-0", {20001, 20002}}, {"rank-1", {20003, 20004}}},
                   {{"rank-0", {20005, 20006}}, {"rank-1", {20007, 20008}}}};
  }

  RankPlace view(uint32_t index) const { return {spec, plan, plan.ranks.at(index), place, "/run/worker.error.json"}; }
  std::map<std::string, std::string> variables(uint32_t index) const {
    RankVariables found = framework_variables(view(index));
    found.over.merge(found.gaps);
    return found.over;
  }

  JobSpec spec;
  Plan plan;
  AttemptPlace place;
};

std::string of_all_ranks(const Gang& gang) {
  std::string text;
  for (uint32_t i = 0; i < gang.plan.ranks.size(); ++i) {
    text += "rank " + std::to_string(i) + "\n ";
    for (const std::string& word : framework_command(gang.view(i))) text += " " + word;
    text += "\n";
    for (const auto& [name, value] : gang.variables(i)) text += "  " + name + "=" + value + "\n";
    for (const auto& [name, value] : framework_files(gang.view(i))) text += "  file " + name + "=" + value + "\n";
  }
  return text;
}

// test/golden/frameworks: all variables and arguments of four ranks. MUSTER_REWRITE_GOLDEN=1 writes the files again.
TEST(Frameworks, GiveRanksWhatWasReviewed) {
  for (const Framework framework : all_frameworks()) {
    Gang gang(framework);
    if (framework_info(framework).rank_ports > 0) gang.lease_ports();
    if (framework == Framework::custom) {
      gang.lease_ports();
      for (const std::string& word : template_words()) gang.spec.custom["MY_" + word] = "<${" + word + "}>";
    }
    const std::string path =
        std::string(MUSTER_SOURCE_DIR) + "/test/golden/frameworks/" + std::string(to_string(framework)) + ".txt";
    const std::string found = of_all_ranks(gang);
    if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << found;
    std::stringstream expected;
    expected << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(found, expected.str()) << path;
  }
}

TEST(Frameworks, AreInTheOrderOfTheEnum) {
  for (const Framework framework : all_frameworks()) EXPECT_EQ(framework_info(framework).framework, framework);
  EXPECT_EQ(all_frameworks().back(), Framework::any);
}

TEST(Frameworks, EveryTemplateWordHasAValue) {
  Gang gang(Framework::custom);
  gang.lease_ports();
  for (const std::string& word : template_words()) EXPECT_TRUE(template_value(gang.view(3), word)) << word;
  EXPECT_FALSE(template_value(gang.view(3), "rnak"));
}

TEST(Frameworks, Ports_TemplatesNameThem_AreNeededByEachRankOfTheNode) {
  Gang gang(Framework::custom);
  const FrameworkInfo& info = framework_info(Framework::custom);
  EXPECT_EQ(node_ports(info, gang.spec, gang.plan, 1), PortCounts());
  gang.spec.custom = {{"HERE", "${port}"}, {"OTHER", "${port_2}"}, {"ALL", "${peers}"}};
  EXPECT_EQ(node_ports(info, gang.spec, gang.plan, 1), (PortCounts{{"rank-0", 2}, {"rank-1", 2}}));
  gang.lease_ports();
  const std::map<std::string, std::string> variables = gang.variables(3);
  EXPECT_EQ(variables.at("HERE"), "20007");
  EXPECT_EQ(variables.at("OTHER"), "20008");
  EXPECT_EQ(variables.at("ALL"), "10.0.0.1:20001,10.0.0.1:20003,10.0.0.2:20005,10.0.0.2:20007");
}

TEST(Frameworks, Ports_AServiceNeedsSome_AreNeededOnEveryNode) {
  const Gang gang(Framework::torch);
  FrameworkInfo info = framework_info(Framework::torch);
  info.service_ports = {{"tracker", 3}};
  EXPECT_EQ(node_ports(info, gang.spec, gang.plan, 0), (PortCounts{{"tracker", 3}}));
}

TEST(Torch, GroupsOfOneWorldMeetAtTheFirst) {
  Gang gang(Framework::torch);
  gang.spec.world = World::shared;
  gang.spec.groups.resize(2);
  gang.plan.ranks[1].group = 1;
  gang.place.endpoints.push_back({"10.0.0.9", 9});
  EXPECT_EQ(gang.variables(1).at("MASTER_PORT"), "23456");
}

TEST(Torch, RanksBehindAFrontGoThere) {
  Gang gang(Framework::torch);
  gang.spec.store = StoreHost::proxy;
  gang.place.fronts = {{"", 0}, {"127.0.0.1", 20007}};
  EXPECT_EQ(gang.variables(0).at("MASTER_PORT"), "23456");
  EXPECT_EQ(gang.variables(3).at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(gang.variables(3).at("MASTER_PORT"), "20007");
}

TEST(Torch, TheLoopbackIsCalledAsItsNodeDoes) {
  Gang gang(Framework::torch);
  gang.place.loopbacks = {"localhost", "localhost"};
  EXPECT_EQ(gang.variables(0).at("MASTER_ADDR"), "10.0.0.1");
  gang.place.endpoints.edit(0).address = "127.0.0.1";
  EXPECT_EQ(gang.variables(0).at("MASTER_ADDR"), "localhost");
  gang.place.loopbacks = {"127.0.0.1", "127.0.0.1"};
  EXPECT_EQ(gang.variables(0).at("MASTER_ADDR"), "127.0.0.1");
}

TEST(Torch, RankZeroOpensTheStoreOnlyWhenAsked) {
  Gang gang(Framework::torch);
  EXPECT_EQ(gang.variables(0).at("TORCHELASTIC_USE_AGENT_STORE"), "True");
  EXPECT_TRUE(hosts_store(gang.spec));
  gang.spec.store = StoreHost::program;
  EXPECT_EQ(gang.variables(0).at("TORCHELASTIC_USE_AGENT_STORE"), "False");
  EXPECT_FALSE(hosts_store(gang.spec));
  gang.spec.framework = Framework::plain;
  gang.spec.store = StoreHost::hosted;
  EXPECT_FALSE(hosts_store(gang.spec));
}

TEST(Torch, AnMpiProgramOpensItsStoreItself) {
  Gang gang(Framework::mpi);
  EXPECT_EQ(gang.variables(0).at("TORCHELASTIC_USE_AGENT_STORE"), "False");
  EXPECT_EQ(gang.variables(3).at("MASTER_PORT"), "23456");
  EXPECT_FALSE(hosts_store(gang.spec));
}

TEST(MpiAndHorovod, ProgramsSelectTheirGpuByLocalRank_SoTheySeeThoseOfTheNode) {
  for (const Framework framework : {Framework::mpi, Framework::horovod})
    EXPECT_EQ(Gang(framework).variables(3).at("CUDA_VISIBLE_DEVICES"), "GPU-2,GPU-3");
}

TEST(Torch, AVirtualLocalRankIsZeroWithItsOwnGpu) {
  Gang gang(Framework::torch);
  gang.spec.torch.virtual_local_rank = true;
  EXPECT_EQ(gang.variables(3).at("LOCAL_RANK"), "0");
  EXPECT_EQ(gang.variables(3).at("CUDA_VISIBLE_DEVICES"), "GPU-3");
}

TEST(Torch, AVirtualLocalRank_WithoutAKnownGpu_GetsTheNumberThatTorchrunGives) {
  Gang gang(Framework::torch);
  gang.spec.torch.virtual_local_rank = true;
  for (PlannedRank& rank : gang.plan.ranks) rank.gpus.clear();
  const auto told = [&](uint32_t index, std::optional<std::string> shell) {
    RankPlace view = gang.view(index);
    view.visible_devices = std::move(shell);
    return framework_variables(view).over.at("CUDA_VISIBLE_DEVICES");
  };
  EXPECT_EQ(told(0, std::nullopt), "0");
  EXPECT_EQ(told(3, std::nullopt), "1");
  EXPECT_EQ(told(3, "4, 5 ,6"), "5");
  EXPECT_EQ(told(3, "4"), "");
  EXPECT_EQ(gang.variables(3).at("LOCAL_RANK"), "0");
}

TEST(Torch, RanksOfARole_AreCountedOverTheHostsThatHaveIt) {
  Gang gang(Framework::torch);
  Plan elastic;
  elastic.membership = ElasticMembership{3, 3, Duration(0)};
  gang.plan = plan_of_hosts({{"a", 2, "actor"}, {"b", 1, "learner"}, {"c", 1, "actor"}}, elastic);
  const auto told = [&](const char* name) {
    std::string text;
    for (uint32_t index = 0; index < 4; ++index) text += gang.variables(index).at(name);
    return text;
  };
  EXPECT_EQ(told("ROLE_RANK"), "0102");
  EXPECT_EQ(told("ROLE_WORLD_SIZE"), "3313");
  EXPECT_EQ(told("RANK"), "0123");
}

TEST(Torch, EachJobHasItsOwnAddressOfRas) {
  Gang gang(Framework::torch);
  const std::string one = gang.variables(0).at("NCCL_RAS_ADDR");
  EXPECT_EQ(gang.variables(3).at("NCCL_RAS_ADDR"), one);
  EXPECT_TRUE(one.starts_with("127.") && one.ends_with(":28028")) << one;
  gang.place.job = *JobId::parse("aaaaaaaaaaaaaaaaaaaaaaaabq");
  EXPECT_NE(gang.variables(0).at("NCCL_RAS_ADDR"), one);
  EXPECT_EQ(framework_variables(gang.view(0)).gaps.count("NCCL_RAS_ADDR"), 1u);
}

TEST(Torch, FlightRecordersAreAskedWhereTheJobFileWantsDumps) {
  Gang gang(Framework::torch);
  EXPECT_EQ(gang.variables(0).count("TORCH_NCCL_DEBUG_INFO_PIPE_FILE"), 0u);
  gang.spec.hangs.action = HangAction::restart;
  EXPECT_EQ(gang.variables(0).at("TORCH_NCCL_DEBUG_INFO_PIPE_FILE"), "/run/worker.ask-");
  EXPECT_EQ(gang.variables(0).at("TORCH_NCCL_DEBUG_INFO_TEMP_FILE"), "/run/worker.flight-");
  EXPECT_EQ(gang.variables(0).at("TORCH_WORKER_SERVER_SOCKET"), "/run/worker.torch");
}

TEST(Torch, FillsOmpThreadsOnlyBelowTheUsersOwn) {
  const Gang gang(Framework::torch);
  EXPECT_EQ(framework_variables(gang.view(0)).gaps.at("OMP_NUM_THREADS"), "1");
  EXPECT_FALSE(framework_variables(gang.view(0)).over.contains("OMP_NUM_THREADS"));
}

// The expected texts are the results of string.Template("…").safe_substitute(local_rank=1).
TEST(Torch, MacrosAreThoseOfTorchrun) {
  Gang gang(Framework::torch);
  gang.spec.torch.macros = true;
  gang.spec.groups[0].command = {"x", "${local_rank}", "$local_rank.", "$local_ranks", "$$local_rank", "$", "${other}"};
  EXPECT_EQ(framework_command(gang.view(1)),
            (std::vector<std::string>{"x", "1", "1.", "$local_ranks", "$local_rank", "$", "${other}"}));
  gang.spec.torch.macros = false;
  EXPECT_EQ(framework_command(gang.view(1)), gang.spec.groups[0].command);
}

TEST(Torch, ATextWithoutMacros_ReachesRanksAsItIs) {
  Gang gang(Framework::torch);
  gang.spec.torch.macros = true;
  const std::string text = "echo $ $$ $local_rank ${local_rank} $$$local_rank";
  gang.spec.groups[0].command = {"bash", "-c", without_macros(text)};
  EXPECT_EQ(framework_command(gang.view(1)).back(), text);
}

TEST(Torch, TheLocalRankIsAnArgumentWhereAsked) {
  Gang gang(Framework::torch);
  gang.spec.torch.local_rank = LocalRankForm::argument;
  EXPECT_EQ(framework_command(gang.view(1))[3], "--local_rank=1");
  gang.spec.framework = Framework::deepspeed;
  gang.spec.torch.local_rank = LocalRankForm::env;
  EXPECT_EQ(framework_command(gang.view(1)), gang.spec.groups[0].command);
}

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

// One rank of each group: chief and worker on the first node, ps and evaluator on the second.
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

TEST(Framework, NamesAllThatARankMayBeGiven) {
  for (const Framework framework : all_frameworks()) {
    Gang gang(framework);
    const std::set<std::string> names = place_variables(gang.spec);
    for (const auto& [name, value] : gang.variables(0)) EXPECT_TRUE(names.count(name)) << name;
  }
  Gang custom(Framework::custom);
  custom.spec.custom = {{"MY_RANK", "${rank}"}};
  EXPECT_TRUE(place_variables(custom.spec).count("MY_RANK"));
}

TEST(Framework, StoreProgram_KeepsHorovodsServerAndTheUsersService) {
  Gang horovod(Framework::horovod), custom(Framework::custom);
  custom.spec.service = {"./server"};
  horovod.spec.store = custom.spec.store = StoreHost::program;
  EXPECT_TRUE(service_program(horovod.view(0)) && service_program(custom.view(0)));
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

TEST(Plain, Variables_AreThoseOfMuster_AndUnbufferedOutput) {
  Gang gang(Framework::plain);
  gang.spec.groups[0].command = {"/bin/true"};
  for (const auto& [name, value] : gang.variables(0))
    EXPECT_TRUE(name.starts_with("MUSTER_") || name == "CUDA_VISIBLE_DEVICES" || name == "PYTHONUNBUFFERED") << name;
}

}  // namespace
}  // namespace muster
