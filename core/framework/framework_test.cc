#include "core/framework/framework.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct World2 {
  JobSpec spec;
  Plan plan;
  AttemptPlace place;
};

World2 two_torch_ranks() {
  World2 world;
  world.spec.framework = Framework::torch;
  world.spec.groups.resize(1);
  world.spec.groups[0].command = {"python3", "train.py"};
  world.spec.restarts.limit = 3;
  for (uint32_t i = 0; i < 2; ++i) {
    PlannedRank rank;
    rank.rank = rank.world_rank = rank.local_rank = i;
    rank.world_size = rank.local_size = 2;
    rank.group_nodes = 1;
    world.plan.ranks.push_back(rank);
  }
  world.plan.nodes.push_back({0, 0, "here", {0, 1}});
  world.place.attempt = 2;
  world.place.restarts = 1;
  world.place.job_name = "fashion";
  world.place.endpoints = {{"127.0.0.1", 23456}};
  return world;
}

TEST(Torch, TellsARankWhatTorchrunWould) {
  const World2 world = two_torch_ranks();
  const auto environment = framework_environment(world.spec, world.plan, world.plan.ranks[1], world.place);
  EXPECT_EQ(environment.at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(environment.at("MASTER_PORT"), "23456");
  EXPECT_EQ(environment.at("RANK"), "1");
  EXPECT_EQ(environment.at("WORLD_SIZE"), "2");
  EXPECT_EQ(environment.at("LOCAL_RANK"), "1");
  EXPECT_EQ(environment.at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(environment.at("GROUP_WORLD_SIZE"), "1");
  EXPECT_EQ(environment.at("TORCHELASTIC_RESTART_COUNT"), "1");
  EXPECT_EQ(environment.at("TORCHELASTIC_MAX_RESTARTS"), "3");
  EXPECT_EQ(environment.at("PYTHONUNBUFFERED"), "1");
}

TEST(Torch, FillsOmpThreadsOnlyBelowTheUsersOwn) {
  const World2 world = two_torch_ranks();
  EXPECT_EQ(framework_defaults(world.spec, world.plan.ranks[0]).at("OMP_NUM_THREADS"), "1");
}

TEST(Torch, GroupsOfOneWorldMeetAtTheFirst) {
  World2 world = two_torch_ranks();
  world.spec.world = World::shared;
  world.spec.groups.resize(2);
  world.plan.ranks[1].group = 1;
  world.place.endpoints.push_back({"127.0.0.1", 9});
  const auto environment = torch_environment(world.spec, world.plan, world.plan.ranks[1], world.place);
  EXPECT_EQ(environment.at("MASTER_PORT"), "23456");
}

TEST(Plain, SaysOnlyWhatIsMusters) {
  World2 world = two_torch_ranks();
  world.spec.framework = Framework::plain;
  world.spec.groups[0].command = {"/bin/true"};
  const auto environment = framework_environment(world.spec, world.plan, world.plan.ranks[0], world.place);
  for (const auto& [name, value] : environment) EXPECT_TRUE(name.starts_with("MUSTER_")) << name;
  EXPECT_EQ(environment.at("MUSTER_ATTEMPT"), "2");
}

TEST(Devices, AreNamedByUuid) {
  PlannedRank rank;
  rank.gpus = {{0, "GPU-a", "", 0, -1}, {1, "GPU-b", "", 0, -1}};
  EXPECT_EQ(device_environment(rank).at("CUDA_VISIBLE_DEVICES"), "GPU-a,GPU-b");
}

}  // namespace
}  // namespace muster
