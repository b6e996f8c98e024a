// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/numa_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<uint32_t>;

constexpr NumaBinding kAll[] = {NumaBinding::node, NumaBinding::socket, NumaBinding::exclusive,
                                NumaBinding::core_complex};

// 2 sockets of 2 NUMA nodes of 4 cores, two of which share a last cache; each core's second thread is 16 above its
// first.
std::vector<CpuPlace> two_sockets() {
  std::vector<CpuPlace> places;
  for (uint32_t thread = 0; thread < 2; ++thread) {
    for (uint32_t core = 0; core < 16; ++core)
      places.push_back(
          {16 * thread + core, static_cast<int>(core / 4), static_cast<int>(core / 8), core, core - core % 2});
  }
  return places;
}

std::vector<CpuPlace> without(std::vector<CpuPlace> places, const Numbers& cpus) {
  std::erase_if(places,
                [&](const CpuPlace& place) { return std::find(cpus.begin(), cpus.end(), place.cpu) != cpus.end(); });
  return places;
}

Numbers beside(NumaBinding how, const std::vector<CpuPlace>& places, const std::vector<int>& gpu_nodes, size_t gpu) {
  const auto cpus = cpus_beside(how, places, gpu_nodes, gpu);
  EXPECT_TRUE(cpus.ok()) << cpus.status().message();
  return cpus.ok() ? *cpus : Numbers{};
}

TEST(NumaBinding, NodeAndSocket) {
  EXPECT_THAT(beside(NumaBinding::node, two_sockets(), {0, 2}, 1), ElementsAre(8, 9, 10, 11, 24, 25, 26, 27));
  EXPECT_THAT(beside(NumaBinding::socket, two_sockets(), {0, 2}, 1),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
  EXPECT_EQ(beside(NumaBinding::node, two_sockets(), {-1}, 0), beside(NumaBinding::node, two_sockets(), {0}, 0));
}

TEST(NumaBinding, ExclusiveDividesCoresWithAllTheirThreads) {
  const std::vector<int> three_of_one{1, 0, 1, 1};
  EXPECT_THAT(beside(NumaBinding::exclusive, two_sockets(), three_of_one, 0), ElementsAre(4, 5, 20, 21));
  EXPECT_THAT(beside(NumaBinding::exclusive, two_sockets(), three_of_one, 2), ElementsAre(6, 22));
  EXPECT_THAT(beside(NumaBinding::exclusive, two_sockets(), three_of_one, 3), ElementsAre(7, 23));
  EXPECT_THAT(cpus_beside(NumaBinding::exclusive, two_sockets(), {0, 0, 0, 0, 0}, 0).status().message(),
              HasSubstr("NUMA node 0 has 4 cores for 5 GPUs"));
}

TEST(NumaBinding, CoreComplexesGoRoundLargestFirst) {
  const auto places = without(two_sockets(), {0});
  const std::vector<int> all_of_one{0, 0, 0};
  EXPECT_THAT(beside(NumaBinding::core_complex, places, all_of_one, 0), ElementsAre(2, 3, 18, 19));
  EXPECT_THAT(beside(NumaBinding::core_complex, places, all_of_one, 1), ElementsAre(1, 16, 17));
  EXPECT_THAT(beside(NumaBinding::core_complex, places, all_of_one, 2), ElementsAre(2, 3, 18, 19));
}

TEST(NumaBinding, CpusThatMayNotBeUsedAreNobodys) {
  const auto places = without(two_sockets(), {12, 13, 14, 15, 28, 29, 30, 31});
  EXPECT_THAT(beside(NumaBinding::socket, places, {2}, 0), ElementsAre(8, 9, 10, 11, 24, 25, 26, 27));
  for (const NumaBinding how : kAll)
    EXPECT_THAT(cpus_beside(how, places, {0, 3}, 1).status().message(), HasSubstr("GPU 1 is on NUMA node 3"));
}

Inventory machine_with(size_t gpus) {
  Inventory machine{.host = "here", .gpus = std::vector<Gpu>(gpus), .places = two_sockets()};
  for (const CpuPlace& place : machine.places) machine.cpus.push_back(place.cpu);
  for (size_t i = 0; i < gpus; ++i)
    machine.gpus[i] = {static_cast<uint32_t>(i), "GPU-" + std::to_string(i), "", 0, static_cast<int>(i)};
  return machine;
}

JobSpec job_of(uint32_t ranks) {
  JobSpec spec;
  spec.torch.numa_binding = NumaBinding::node;
  spec.groups.resize(1);
  spec.groups[0].workers = {false, ranks};
  spec.groups[0].worker.gpus = {false, 0};
  return spec;
}

TEST(NumaBinding, ARanksGpuIsItsOwnOrThatOfItsNumber) {
  JobSpec spec = job_of(2);
  const auto seen = plan_on_one_machine(spec, machine_with(4));
  ASSERT_TRUE(seen.ok());
  EXPECT_THAT(bound_cpus(seen->ranks[1]), ElementsAre(4, 5, 6, 7, 20, 21, 22, 23));
  EXPECT_TRUE(seen->ranks[1].cpus.empty());
  spec.groups[0].worker.gpus = {false, 2};
  EXPECT_THAT(bound_cpus(plan_on_one_machine(spec, machine_with(4))->ranks[1]),
              ElementsAre(8, 9, 10, 11, 24, 25, 26, 27));
  spec.groups[0].worker.cpus = 1;
  EXPECT_THAT(bound_cpus(plan_on_one_machine(spec, machine_with(4))->ranks[1]), ElementsAre(1));
}

TEST(NumaBinding, WithoutAGpuThereIsNothingToBindTo) {
  EXPECT_EQ(plan_on_one_machine(job_of(2), machine_with(0)).status().message(),
            "cannot bind ranks to the CPUs near their GPUs: local rank 0 has no GPU; visible: 0 GPUs");
  EXPECT_THAT(plan_on_one_machine(job_of(2), machine_with(1)).status().message(),
              HasSubstr("local rank 1 has no GPU; visible: 1 GPU"));
}

}  // namespace
}  // namespace muster
