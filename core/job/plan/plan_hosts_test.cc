// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/plan_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JobHost host(const std::string& name, uint32_t gpus, uint32_t slots = 0, uint32_t cpus = 4) {
  JobHost made{name, "10.0.0.1", "127.0.0.1", slots, {}};
  made.machine.host = name + ".example";
  made.machine.memory_bytes = 64ull << 30;
  for (uint32_t i = 0; i < cpus; ++i) made.machine.cpus.push_back(i);
  for (uint32_t i = 0; i < gpus; ++i) made.machine.gpus.push_back({i, name + "-" + std::to_string(i), "H100", 1, -1});
  return made;
}

GroupSpec group(uint32_t least, uint32_t most, AutoCount workers, const std::string& name = "worker") {
  GroupSpec made;
  made.name = name;
  made.min_nodes = least;
  made.max_nodes = most;
  made.workers = workers;
  made.command = {"./train"};
  return made;
}

constexpr AutoCount kAuto{true, 0};
AutoCount fixed(uint32_t count) { return {false, count}; }

JobSpec job(std::vector<GroupSpec> groups) {
  JobSpec spec;
  spec.groups = std::move(groups);
  return spec;
}

// "a1: 0 1 | a2: 2 3", world ranks by node.
std::string shape(const Plan& plan) {
  std::vector<std::string> nodes;
  for (const PlannedNode& node : plan.nodes) {
    std::string text = node.host + ":";
    for (const uint32_t rank : node.ranks) text += " " + std::to_string(plan.ranks[rank].world_rank);
    nodes.push_back(text);
  }
  return join(nodes, " | ");
}

std::string planned(const JobSpec& spec, const std::vector<JobHost>& hosts) {
  const Result<Plan> plan = plan_on_hosts(spec, hosts);
  return plan.ok() ? shape(*plan) : plan.status().message();
}

// Checks the invariants of all plans.
void expect_whole(const JobSpec& spec, const Plan& plan) {
  std::set<std::string> gpus;
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    const PlannedRank& rank = plan.ranks[i];
    const PlannedNode& node = plan.nodes[rank.node];
    ASSERT_EQ(node.node, rank.node);
    EXPECT_EQ(node.group, rank.group);
    EXPECT_EQ(rank.local_size, node.ranks.size());
    EXPECT_EQ(node.ranks[rank.local_rank], i);
    for (const Gpu& gpu : rank.gpus) EXPECT_TRUE(gpus.insert(gpu.uuid).second) << gpu.uuid << " twice";
  }
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    Rank next = 0;
    for (const PlannedRank& rank : plan.ranks) {
      if (rank.group != group) continue;
      EXPECT_EQ(rank.rank, next++);
    }
  }
}

TEST(PlanOnHosts, ANodeIsAHost_InTheirOrder) {
  const JobSpec spec = job({group(2, 2, fixed(2))});
  EXPECT_EQ(planned(spec, {host("b", 0), host("a", 0), host("c", 0)}), "b: 0 1 | a: 2 3");
  const Result<Plan> plan = plan_on_hosts(spec, {host("b", 0), host("a", 0)});
  expect_whole(spec, *plan);
  EXPECT_EQ(plan->ranks[3].world_size, 4u);
  EXPECT_EQ(plan->ranks[3].group_node, 1u);
  EXPECT_EQ(plan->ranks[3].group_nodes, 2u);
}

TEST(PlanOnHosts, CyclicDealsOneToEachInTurn) {
  JobSpec spec = job({group(2, 2, kAuto)});
  spec.placement = Placement::cyclic;
  EXPECT_EQ(planned(spec, {host("a", 3), host("b", 1)}), "a: 0 2 3 | b: 1");
  const Result<Plan> plan = plan_on_hosts(spec, {host("a", 3), host("b", 1)});
  expect_whole(spec, *plan);
  EXPECT_EQ(plan->ranks[1].gpus[0].uuid, "b-0");
  EXPECT_EQ(plan->ranks[2].gpus[0].uuid, "a-1");
}

TEST(PlanOnHosts, AutoWorkersAreTheGpusOfEachHost) {
  const JobSpec spec = job({group(3, 3, kAuto)});
  EXPECT_EQ(planned(spec, {host("a", 2), host("b", 1), host("c", 0)}), "a: 0 1 | b: 2 | c: 3");
  EXPECT_EQ(planned(spec, {host("a", 4, 2), host("b", 1, 8), host("c", 0, 3)}), "a: 0 1 | b: 2 | c: 3 4 5");
  const Result<Plan> plan = plan_on_hosts(spec, {host("a", 4, 2), host("b", 1, 8), host("c", 0, 3)});
  EXPECT_EQ(plan->ranks[0].gpus.size(), 2u) << "of four GPUs each of two ranks has two";
}

TEST(PlanOnHosts, AFixedNumberOfWorkersIsNotMoreThanSlots) {
  EXPECT_EQ(planned(job({group(1, 1, fixed(4))}), {host("a", 0, 2), host("b", 0, 4)}), "b: 0 1 2 3");
  EXPECT_EQ(planned(job({group(2, 2, fixed(4))}), {host("a", 0, 2), host("b", 0, 4), host("c", 0, 2)}),
            "the job needs 2 nodes, but 1 of 3 hosts can hold one: a, c: it has 2 slots for 4 ranks");
}

TEST(PlanOnHosts, SaysWhatIsShortOfEachHost) {
  GroupSpec wants = group(3, 3, fixed(2));
  wants.worker.gpus = {false, 2};
  EXPECT_EQ(
      planned(job({wants}), {host("a", 4), host("b", 1), host("c", 0)}),
      "the job needs 3 nodes, but 1 of 3 hosts can hold one: b: the job needs 4 GPUs (2 workers × 2 GPUs), but "
      "the host has 1; lower workers or worker.gpus, c: the job needs 4 GPUs (2 workers × 2 GPUs), but the host has "
      "none; with --gpus 0 it runs on CPUs");
  EXPECT_EQ(planned(job({group(2, 2, fixed(1))}), {host("a", 0)}),
            "the job needs 2 nodes on different hosts, but there is 1 host; lower nodes, or name more hosts");
  EXPECT_EQ(plan_on_hosts(job({wants}), {host("a", 4)}).status().code(), Code::resource_exhausted);
}

TEST(PlanOnHosts, OfARangeAsManyNodesAsThereAreHosts) {
  EXPECT_EQ(planned(job({group(1, 8, fixed(1))}), {host("a", 0), host("b", 0), host("c", 0)}), "a: 0 | b: 1 | c: 2");
  const std::string both = planned(job({group(1, 8, fixed(1), "x"), group(1, 8, fixed(1), "y")}),
                                   {host("a", 0, 1), host("b", 0, 1), host("c", 0, 1), host("d", 0, 1)});
  EXPECT_EQ(both, "a: 0 | c: 1 | b: 0 | d: 1") << "groups take turns";
}

TEST(PlanOnHosts, GroupsShareAHostOnlyWhereTheyMust) {
  GroupSpec trainer = group(2, 2, fixed(2), "trainer");
  trainer.worker.gpus = {false, 1};
  GroupSpec watcher = group(1, 1, fixed(1), "watcher");
  watcher.worker.gpus = {false, 1};
  const JobSpec spec = job({trainer, watcher});
  EXPECT_EQ(planned(spec, {host("a", 2), host("b", 2), host("c", 1)}), "a: 0 1 | b: 2 3 | c: 0");
  EXPECT_EQ(planned(spec, {host("a", 2), host("b", 3)}), "a: 0 1 | b: 2 3 | b: 0");
  expect_whole(spec, *plan_on_hosts(spec, {host("a", 2), host("b", 3)}));
  EXPECT_THAT(planned(spec, {host("a", 2), host("b", 3, 2)}), HasSubstr("b: it has 2 slots for 3 ranks"));
}

TEST(PlanOnHosts, ASharedWorldCountsOverGroups) {
  JobSpec spec = job({group(1, 1, fixed(2), "x"), group(1, 1, fixed(2), "y")});
  spec.world = World::shared;
  const Result<Plan> plan = plan_on_hosts(spec, {host("a", 0), host("b", 0)});
  EXPECT_EQ(shape(*plan), "a: 0 1 | b: 2 3");
  EXPECT_EQ(plan->ranks[3].world_size, 4u);
}

TEST(PlanOnHosts, CpusAreDealtOnEachHost) {
  GroupSpec bound = group(2, 2, fixed(2));
  bound.worker.cpus = 2;
  const Result<Plan> plan = plan_on_hosts(job({bound}), {host("a", 0), host("b", 0)});
  EXPECT_THAT(plan->ranks[1].cpus, ElementsAre(2, 3));
  EXPECT_THAT(plan->ranks[2].cpus, ElementsAre(0, 1));
}

TEST(PlanOnHosts, ManyHostsAreNoMatter) {
  std::vector<JobHost> hosts;
  for (uint32_t i = 0; i < 4096; ++i) hosts.push_back(host("a" + std::to_string(i), 0));
  const JobSpec spec = job({group(1, 100'000, fixed(8))});
  const Result<Plan> plan = plan_on_hosts(spec, hosts);
  ASSERT_EQ(plan->ranks.size(), 32768u);
  EXPECT_EQ(plan->nodes.back().host, "a4095");
}

TEST(PlanOnHosts, HostsThatDifferAndThoseLeftOverAreRemarked) {
  const std::vector<JobHost> hosts{host("a", 2), host("b", 1), host("c", 2), host("d", 2)};
  EXPECT_THAT(remarks_on_hosts(*plan_on_hosts(job({group(3, 3, kAuto)}), hosts), hosts),
              ElementsAre("hosts have different numbers of ranks: 2 ranks on a, c; 1 rank on b",
                          "hosts without a rank: d (more nodes or workers would use it)"));
  EXPECT_TRUE(remarks_on_hosts(*plan_on_hosts(job({group(4, 4, fixed(1))}), hosts), hosts).empty());
}

TEST(PlanHosts, TheHeavierAreTakenFirstAndRanksKeepTheOrderOfTheList) {
  std::vector<JobHost> hosts = {host("a1", 0), host("a2", 0), host("a3", 0), host("a4", 0)};
  hosts[2].weight = 2;
  hosts[3].weight = 2;
  hosts[0].weight = 0;
  EXPECT_EQ(planned(job({group(2, 2, fixed(1))}), hosts), "a3: 0 | a4: 1");
  EXPECT_EQ(planned(job({group(3, 3, fixed(1))}), hosts), "a2: 0 | a3: 1 | a4: 2");
}

TEST(PlanHosts, AGroupTakesHostsOfItsLabelAndTheOthersTheRest) {
  std::vector<JobHost> hosts = {host("a1", 0), host("a2", 0), host("a3", 0)};
  hosts[0].label = "cpu";
  hosts[1].label = "gpu";
  JobSpec spec = job({group(2, 2, fixed(1), "train"), group(1, 1, fixed(1), "ps")});
  spec.groups[1].label = "cpu";
  EXPECT_EQ(planned(spec, hosts), "a2: 0 | a3: 1 | a1: 0");
  spec.groups[1].label = "tpu";
  EXPECT_THAT(planned(spec, hosts), HasSubstr("group ps needs 1 node, but 0 of 3 hosts can hold one"));
  EXPECT_THAT(planned(spec, hosts), HasSubstr("a3: it has no label; the job asks for tpu"));
}

}  // namespace
}  // namespace muster
