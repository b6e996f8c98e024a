#include "core/adapter/hwloc/cpu_topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

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

// The kernel of such a machine counts first cores, then their second threads.
TEST(CpuTopology, NeighboursFollowEachOther) {
  EXPECT_EQ(cpus_of_synthetic("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"),
            (std::vector<uint32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(CpuTopology, NonsenseIsEmpty) { EXPECT_TRUE(cpus_of_synthetic("nonsense").empty()); }

}  // namespace
}  // namespace muster
