// SPDX-License-Identifier: Apache-2.0
#include "core/framework/framework.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/framework/gang_test.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

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

// One rank of each group: chief and worker on the first node, ps and evaluator on the second.
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

TEST(Plain, Variables_AreThoseOfMuster_AndUnbufferedOutput) {
  Gang gang(Framework::plain);
  gang.spec.groups[0].command = {"/bin/true"};
  for (const auto& [name, value] : gang.variables(0))
    EXPECT_TRUE(name.starts_with("MUSTER_") || name == "CUDA_VISIBLE_DEVICES" || name == "PYTHONUNBUFFERED") << name;
}

}  // namespace
}  // namespace muster
