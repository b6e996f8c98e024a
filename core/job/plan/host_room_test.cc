// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/host_room.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

JobHost host(const std::string& name, uint32_t gpus, uint32_t slots = 0) {
  JobHost made{name, "10.0.0.1", "127.0.0.1", slots, {}, name + "'s machine"};
  made.machine.memory_bytes = 64ull << 30;
  for (uint32_t i = 0; i < 4; ++i) made.machine.cpus.push_back(i);
  for (uint32_t i = 0; i < gpus; ++i) made.machine.gpus.push_back({i, name + "-" + std::to_string(i), "H100", 1, -1});
  return made;
}

JobSpec job(uint32_t least, uint32_t most, AutoCount workers) {
  JobSpec spec;
  spec.groups.resize(1);
  spec.groups[0].min_nodes = least;
  spec.groups[0].max_nodes = most;
  spec.groups[0].workers = workers;
  return spec;
}

std::vector<Holder> held_by(const std::string& who, const JobSpec& spec, const std::vector<JobHost>& hosts,
                            const std::vector<Holder>& before = {}) {
  const auto plan = plan_beside(spec, hosts, before);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return holders_on_hosts(who, *plan, hosts);
}

std::string planned(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<Holder>& held) {
  const auto plan = plan_beside(spec, hosts, held);
  if (!plan.ok()) return plan.status().message();
  std::string text;
  for (const PlannedNode& node : plan->nodes) {
    text += node.host;
    for (const uint32_t rank : node.ranks) {
      for (const Gpu& gpu : plan->ranks[rank].gpus) text += " " + std::to_string(gpu.index);
    }
    text += "; ";
  }
  return text;
}

constexpr AutoCount kAuto{true, 0};

JobSpec of_one_gpu_each(JobSpec spec) {
  spec.groups[0].worker.gpus = {false, 1};
  return spec;
}

TEST(HostRoom, TheSecondJobHasTheGpusThatAreLeft) {
  const std::vector<JobHost> hosts = {host("a1", 4), host("a2", 4)};
  const auto held = held_by("first", of_one_gpu_each(job(1, 1, {false, 2})), hosts);
  EXPECT_EQ(planned(of_one_gpu_each(job(2, 2, {false, 2})), hosts, held), "a1 2 3; a2 0 1; ");
}

TEST(HostRoom, AutoMeansTheWholeHost) {
  const std::vector<JobHost> hosts = {host("a1", 4), host("a2", 2)};
  const auto held = held_by("first", of_one_gpu_each(job(1, 1, {false, 1})), hosts);
  EXPECT_EQ(planned(job(2, 2, kAuto), hosts, held), "4 GPUs on a1: first holds 0");
  EXPECT_EQ(plan_beside(job(2, 2, kAuto), hosts, held).status().code(), Code::unavailable);
}

TEST(HostRoom, WhereNotAllHostsAreNeededThoseThatAreFreeAreTaken) {
  const std::vector<JobHost> hosts = {host("a1", 2), host("a2", 2), host("a3", 2)};
  const auto held = held_by("first", job(1, 1, kAuto), hosts);
  EXPECT_EQ(planned(job(2, 2, kAuto), hosts, held), "a2 0 1; a3 0 1; ");
  EXPECT_EQ(planned(job(1, 3, kAuto), hosts, held), "2 GPUs on a1: first holds 0, 1");
}

TEST(HostRoom, SlotsAreSharedWhereTheyAreCounted) {
  const std::vector<JobHost> hosts = {host("a1", 0, 4)};
  const auto held = held_by("first", job(1, 1, {false, 3}), hosts);
  EXPECT_EQ(planned(job(1, 1, {false, 2}), hosts, held), "2 slots on a1: first holds 3");
  EXPECT_EQ(planned(job(1, 1, {false, 1}), hosts, held), "a1; ");
  const std::vector<JobHost> uncounted = {host("a1", 0)};
  EXPECT_EQ(planned(job(1, 1, {false, 9}), uncounted, held), "a1; ");
  EXPECT_TRUE(needs_on_hosts(*plan_on_hosts(job(1, 1, {false, 9}), uncounted), uncounted).empty());
}

TEST(HostRoom, OtherNamesOfAMachineAreThatMachine) {
  const auto held = held_by("first", job(1, 1, kAuto), {host("a1", 1)});
  JobHost alias = host("a1", 1);
  alias.name = "mia@a1";
  EXPECT_EQ(planned(job(1, 1, kAuto), {alias}, held), "1 GPU on mia@a1: first holds 0");
  JobHost another = host("a1", 1);
  another.name = "b1";
  another.identity = "b1's machine";
  EXPECT_EQ(planned(job(1, 1, kAuto), {another}, held), "b1 0; ");
}

TEST(HostRoom, CpusAreCountedWhereRanksAreBound) {
  const std::vector<JobHost> hosts = {host("a1", 0)};
  JobSpec bound = job(1, 1, {false, 1});
  bound.groups[0].worker.cpus = 3;
  const auto held = held_by("first", bound, hosts);
  EXPECT_EQ(planned(bound, hosts, held), "3 CPUs on a1: first holds 0, 1, 2");
}

TEST(HostRoom, WhatNeverFitsIsSaidSo) {
  const std::vector<JobHost> hosts = {host("a1", 1)};
  const auto held = held_by("first", job(1, 1, kAuto), hosts);
  EXPECT_EQ(plan_beside(job(2, 2, kAuto), hosts, held).status().code(), Code::resource_exhausted);
}

}  // namespace
}  // namespace muster
