// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/plan.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Inventory machine(uint32_t gpus, uint32_t cpus = 8) {
  Inventory inventory;
  inventory.host = "here";
  for (uint32_t i = 0; i < cpus; ++i) inventory.cpus.push_back(i);
  inventory.memory_bytes = 16ULL << 30;
  for (uint32_t i = 0; i < gpus; ++i) inventory.gpus.push_back(Gpu{i, "GPU-" + std::to_string(i), "H100", 0, -1});
  return inventory;
}

GroupSpec group(uint32_t nodes, AutoCount workers, AutoCount gpus) {
  GroupSpec made;
  made.min_nodes = made.max_nodes = nodes;
  made.workers = workers;
  made.worker.gpus = gpus;
  made.command = {"x"};
  return made;
}

constexpr AutoCount kAuto{true, 0};
AutoCount n(uint32_t count) { return {false, count}; }

JobSpec job(std::vector<GroupSpec> groups) {
  JobSpec spec;
  spec.groups = std::move(groups);
  return spec;
}

// "0:0,1 1:2,3" – each rank's node and GPUs.
std::string gpus_of(const JobSpec& spec, const Inventory& inventory) {
  const auto plan = plan_on_one_machine(spec, inventory);
  if (!plan.ok()) return plan.status().message();
  std::string text;
  for (const PlannedRank& rank : plan->ranks) {
    text += (text.empty() ? "" : " ") + std::to_string(rank.node) + ":";
    for (size_t i = 0; i < rank.gpus.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(rank.gpus[i].index);
  }
  return text;
}

TEST(Plan, AutoFollowsTheMachine) {
  EXPECT_EQ(gpus_of(job({group(1, kAuto, kAuto)}), machine(0)), "0:");
  EXPECT_EQ(gpus_of(job({group(1, kAuto, kAuto)}), machine(3)), "0:0 0:1 0:2");
  EXPECT_EQ(gpus_of(job({group(1, n(2), kAuto)}), machine(4)), "0:0,1 0:2,3");
  EXPECT_EQ(gpus_of(job({group(1, n(2), kAuto)}), machine(5)), "0:0,1 0:2,3");
  EXPECT_EQ(gpus_of(job({group(1, n(2), kAuto)}), machine(0)), "0: 0:");
  EXPECT_EQ(gpus_of(job({group(1, n(4), kAuto)}), machine(2)), "0: 0: 0: 0:");
  EXPECT_EQ(gpus_of(job({group(1, kAuto, n(2))}), machine(5)), "0:0,1 0:2,3");
  EXPECT_EQ(gpus_of(job({group(1, kAuto, n(0))}), machine(5)), "0:");
}

TEST(Plan, NodesDivideTheDevices) {
  EXPECT_EQ(gpus_of(job({group(2, kAuto, kAuto)}), machine(4)), "0:0 0:1 1:2 1:3");
  EXPECT_EQ(gpus_of(job({group(2, n(1), kAuto)}), machine(4)), "0:0,1 1:2,3");
  EXPECT_EQ(gpus_of(job({group(3, kAuto, kAuto)}), machine(4)), "0:0 1:1 2:2");
  EXPECT_EQ(gpus_of(job({group(2, n(1), n(1))}), machine(4)), "0:0 1:1");
}

TEST(Plan, GroupsThatClaimByNumberComeBeforeThoseThatTakeTheRest) {
  EXPECT_EQ(gpus_of(job({group(1, kAuto, kAuto), group(1, n(1), n(2))}), machine(4)), "0:0 0:1 1:2,3");
  EXPECT_EQ(gpus_of(job({group(1, n(1), kAuto), group(1, n(1), n(0))}), machine(4)), "0:0,1,2,3 1:");
}

TEST(Plan, TooFewGpusSaysWhoNeedsWhat) {
  EXPECT_EQ(gpus_of(job({group(2, n(2), n(1))}), machine(2)),
            "the job needs 4 GPUs (2 nodes × 2 workers × 1 GPU), but here has 2; lower nodes or workers");
  EXPECT_EQ(gpus_of(job({group(1, n(2), n(4))}), machine(2)),
            "the job needs 8 GPUs (2 workers × 4 GPUs), but here has 2; lower workers or worker.gpus");
  EXPECT_EQ(gpus_of(job({group(1, n(1), n(4))}), machine(2)),
            "the job needs 4 GPUs, but here has 2; lower worker.gpus");
  EXPECT_EQ(plan_on_one_machine(job({group(1, n(1), n(1))}), machine(0)).status().code(), Code::resource_exhausted);
}

TEST(Plan, WhereThereIsNoGpu_LoweringWouldNotHelp) {
  EXPECT_EQ(gpus_of(job({group(1, n(1), n(1))}), machine(0)),
            "the job needs 1 GPU, but here has none; with --gpus 0 it runs on CPUs");
  EXPECT_EQ(gpus_of(job({group(1, kAuto, n(2))}), machine(0)),
            "the job needs 2 GPUs, but here has none; with --gpus 0 it runs on CPUs");
}

TEST(Plan, CpusAreDealtInOrderNoneTwice) {
  JobSpec spec = job({group(2, n(1), n(0)), group(1, n(2), n(0)), group(1, n(1), n(0))});
  spec.groups[0].worker.cpus = 2;
  spec.groups[1].worker.cpus = 1;
  Inventory inventory = machine(0, 0);
  inventory.cpus = {0, 4, 1, 5, 2, 6};
  const auto plan = plan_on_one_machine(spec, inventory);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->ranks[0].cpus, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(plan->ranks[1].cpus, (std::vector<uint32_t>{1, 5}));
  EXPECT_EQ(plan->ranks[2].cpus, (std::vector<uint32_t>{2}));
  EXPECT_EQ(plan->ranks[3].cpus, (std::vector<uint32_t>{6}));
  EXPECT_TRUE(plan->ranks[4].cpus.empty());
  inventory.cpus.pop_back();
  EXPECT_EQ(plan_on_one_machine(spec, inventory).status().message(),
            "the job needs 6 CPUs (group worker: 2 nodes × 2 CPUs, group worker: 2 workers × 1 CPU), but here has 5; "
            "lower nodes, workers or worker.cpus (with --cpus 0, ranks are not bound)");
}

TEST(Plan, MemoryIsCounted) {
  JobSpec spec = job({group(1, n(4), n(0))});
  spec.groups[0].worker.memory_bytes = 4ULL << 30;
  EXPECT_TRUE(plan_on_one_machine(spec, machine(0)).ok());
  spec.groups[0].worker.memory_bytes = 5ULL << 30;
  EXPECT_EQ(plan_on_one_machine(spec, machine(0)).status().message(),
            "the job needs 20 GiB of memory (4 workers × 5 GiB), but here has 16 GiB; lower workers or worker.memory");
  spec.groups[0].worker.memory_bytes = UINT64_MAX / 2;
  EXPECT_EQ(plan_on_one_machine(spec, machine(0)).status().code(), Code::resource_exhausted);
}

TEST(Plan, UnknownMemoryIsNeverShortAndNoneIs) {
  JobSpec spec = job({group(1, n(1), n(0))});
  spec.groups[0].worker.memory_bytes = 4ULL << 30;
  Inventory inventory = machine(0);
  inventory.memory_bytes.reset();
  EXPECT_TRUE(plan_on_one_machine(spec, inventory).ok());
  inventory.memory_bytes = 0;
  EXPECT_EQ(plan_on_one_machine(spec, inventory).status().code(), Code::resource_exhausted);
}

TEST(Plan, ARangeOfNodesGetsAsManyAsFit) {
  JobSpec spec = job({group(4, n(1), n(2)), group(1, n(1), n(1))});
  spec.groups[0].min_nodes = 2;
  EXPECT_EQ(gpus_of(spec, machine(9)), "0:0,1 1:2,3 2:4,5 3:6,7 4:8");
  EXPECT_EQ(gpus_of(spec, machine(8)), "0:0,1 1:2,3 2:4,5 3:6");
  EXPECT_EQ(gpus_of(spec, machine(5)), "0:0,1 1:2,3 2:4");
  EXPECT_EQ(
      gpus_of(spec, machine(4)),
      "the job needs 5 GPUs (group worker: 2 nodes × 2 GPUs, group worker: 1 GPU), but here has 4; lower nodes or "
      "worker.gpus");
  const auto plan = plan_on_one_machine(spec, machine(8));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->ranks[0].world_size, 3u);
  EXPECT_EQ(plan->ranks[0].group_nodes, 3u);
}

TEST(Plan, RanksAreNumberedPerWorld) {
  JobSpec spec = job({group(2, n(2), n(0)), group(1, n(1), n(0))});
  spec.groups[1].name = "evaluator";
  auto plan = plan_on_one_machine(spec, machine(0));
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->ranks.size(), 5u);
  ASSERT_EQ(plan->nodes.size(), 3u);
  EXPECT_EQ(plan->nodes[1].ranks, (std::vector<uint32_t>{2, 3}));
  const PlannedRank& third = plan->ranks[3];
  EXPECT_EQ(third.rank, 3u);
  EXPECT_EQ(third.local_rank, 1u);
  EXPECT_EQ(third.local_size, 2u);
  EXPECT_EQ(third.group_node, 1u);
  EXPECT_EQ(third.group_nodes, 2u);
  EXPECT_EQ(third.world_rank, 3u);
  EXPECT_EQ(third.world_size, 4u);
  EXPECT_EQ(plan->ranks[4].world_rank, 0u);
  EXPECT_EQ(plan->ranks[4].world_size, 1u);
  EXPECT_EQ(rank_name(spec, third), "worker 3");
  EXPECT_EQ(rank_name(spec, plan->ranks[4]), "evaluator 0");

  spec.world = World::shared;
  plan = plan_on_one_machine(spec, machine(0));
  EXPECT_EQ(plan->ranks[4].rank, 0u);
  EXPECT_EQ(plan->ranks[4].world_rank, 4u);
  EXPECT_EQ(plan->ranks[0].world_size, 5u);
  EXPECT_EQ(rank_name(spec, plan->ranks[4]), "rank 4");
}

TEST(Plan, OneGroupIsCalledByRank) {
  const JobSpec spec = job({group(1, n(4), n(0))});
  EXPECT_EQ(rank_name(spec, plan_on_one_machine(spec, machine(0))->ranks[3]), "rank 3");
}

TEST(Plan, ImpossibleJobsAreRefusedNotBuilt) {
  EXPECT_EQ(plan_on_one_machine(JobSpec{}, machine(0)).status().code(), Code::invalid_argument);
  EXPECT_EQ(plan_on_one_machine(job({group(100'000, n(100'000), n(0))}), machine(0)).status().code(),
            Code::resource_exhausted);
}

// "node.local=group_node/group_nodes:rank/world" of each rank.
std::string dealt(const Plan& plan) {
  std::string text;
  for (const PlannedRank& rank : plan.ranks) {
    text += (text.empty() ? "" : " ") + std::to_string(rank.node) + "." + std::to_string(rank.local_rank) + "=" +
            std::to_string(rank.group_node) + "/" + std::to_string(rank.group_nodes) + ":" +
            std::to_string(rank.world_rank) + "/" + std::to_string(rank.world_size);
  }
  return text;
}

TEST(PlanOfHosts, APlaceThatNobodyHasIsNotCounted) {
  const Plan plan = plan_of_hosts({{"node-a", 2}, {"gone", 0}, {"node-c", 1}}, Plan{});
  EXPECT_EQ(dealt(plan), "0.0=0/2:0/3 0.1=0/2:1/3 2.0=1/2:2/3");
  ASSERT_EQ(plan.nodes.size(), 3u);
  EXPECT_EQ(plan.nodes[1].ranks, std::vector<uint32_t>{});
  EXPECT_EQ(plan.nodes[2].ranks, std::vector<uint32_t>{2});
  EXPECT_EQ(plan.ranks[1].local_size, 2u);
}

TEST(PlanOfHosts, WhoStaysKeepsItsDevices) {
  Plan before = plan_of_hosts({{"node-a", 1}, {"node-b", 1}, {"node-c", 1}}, Plan{});
  before.ranks[2].cpus = {7};
  before.membership = ElasticMembership{1, 4, std::chrono::seconds(5)};
  const Plan after = plan_of_hosts({{"node-a", 1}, {"node-b", 0}, {"node-c", 1}}, before);
  EXPECT_EQ(after.ranks.at(1).cpus, std::vector<uint32_t>{7});
  EXPECT_EQ(after.membership, before.membership);
}

}  // namespace
}  // namespace muster
