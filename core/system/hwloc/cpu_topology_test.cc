// SPDX-License-Identifier: Apache-2.0
#include "core/system/hwloc/cpu_topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>

namespace muster {
namespace {

TEST(CpuTopology, AreTheCpusOfOurMask) {
  std::vector<uint32_t> cpus = cpus_in_topology_order();
  std::sort(cpus.begin(), cpus.end());
  EXPECT_EQ(cpus, affinity_cpus());
  EXPECT_FALSE(cpus.empty());
}

TEST(CpuTopology, FollowANarrowerMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const uint32_t last = affinity_cpus().back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cpus_in_topology_order(), std::vector<uint32_t>{last});
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

// On such a machine the kernel numbers the first threads of all cores first, then the second threads.
TEST(CpuTopology, NeighboursFollowEachOther) {
  EXPECT_EQ(cpus_of_synthetic("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"),
            (std::vector<uint32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(CpuTopology, PlacesAreThoseOfTheTree) {
  const std::vector<CpuPlace> places =
      places_of_synthetic("pack:2 numa:2 l3:1 core:2 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)");
  ASSERT_EQ(places.size(), 16u);
  EXPECT_EQ(places[0], (CpuPlace{0, 0, 0, 0, 0}));
  EXPECT_EQ(places[3], (CpuPlace{9, 0, 0, 1, 0}));
  EXPECT_EQ(places[4], (CpuPlace{2, 1, 0, 2, 2}));
  EXPECT_EQ(places[15], (CpuPlace{15, 3, 1, 7, 6}));
  EXPECT_EQ(places_of_synthetic("core:2 pu:1")[1], (CpuPlace{1, 0, -1, 1, 1}));
}

// Compares with /sys, which torch reads.
TEST(CpuTopology, PlacesOfThisMachineAreTheKernels) {
  const std::vector<CpuPlace> places = cpu_places();
  ASSERT_EQ(places.size(), affinity_cpus().size());
  for (const CpuPlace& place : places) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(place.cpu);
    uint32_t lowest = place.core;
    std::ifstream(folder + "/topology/thread_siblings_list") >> lowest;
    EXPECT_EQ(place.core, lowest);
    int package = place.package;
    std::ifstream(folder + "/topology/physical_package_id") >> package;
    EXPECT_EQ(place.package, package);
  }
}

TEST(CpuTopology, NonsenseIsEmpty) { EXPECT_TRUE(cpus_of_synthetic("nonsense").empty()); }

}  // namespace
}  // namespace muster
