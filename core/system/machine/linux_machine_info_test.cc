// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/linux_machine_info.h"

#include <stdlib.h>

#include "core/system/hwloc/cpu_topology.h"
#include "core/system/linux/process/process_host_fixture.h"
#include "core/system/machine/machine_memory.h"

namespace muster {
namespace {

class MachineInfoTest : public FolderTest {
 protected:
  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ + path).parent_path());
    std::ofstream(folder_ + path) << text;
  }
  // Puts this process into the cgroup v2 /slice/scope; the scope has no limit.
  void in_a_scope_of_a_slice() {
    file("/proc/self/cgroup", "0::/slice/scope\n");
    file("/proc/self/mountinfo", "2 1 0:2 / /two rw - cgroup2 cgroup2 rw\n");
    file("/two/slice/cgroup.procs", "");
    file("/two/slice/scope/cgroup.procs", "");
    file("/two/slice/scope/memory.max", "max\n");
  }
  NullLog log_;
};

TEST_F(MachineInfoTest, ThisMachine) {
  setenv("MUSTER_NVML_STAND_IN", "gpus=3", 1);
  LinuxMachineInfo info(log_, MUSTER_BINARY_DIR "/stand_in/libnvml_stand_in.so");
  const Inventory inventory = info.inventory();
  EXPECT_FALSE(inventory.host.empty());
  EXPECT_EQ(inventory.cpus.size(), affinity_cpus().size());
  EXPECT_GT(inventory.memory_bytes.value_or(0), 64u << 20);
  ASSERT_EQ(inventory.gpus.size(), 3u);
  EXPECT_EQ(inventory.gpus[2].index, 2u);
}

TEST_F(MachineInfoTest, MemoryIsTheMachinesWithoutLimits) {
  file("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:        10 kB\n");
  EXPECT_EQ(usable_memory_bytes(folder_), 1000u * 1024);
  file("/proc/self/cgroup", "4:memory:/job\n0::/\n");
  file("/proc/self/mountinfo", "1 1 0:1 / /mem rw - cgroup cgroup rw,memory\n2 1 0:2 / /two rw - cgroup2 cgroup2 rw\n");
  file("/mem/job/memory.limit_in_bytes", "9223372036854771712\n");
  file("/mem/job/cgroup.procs", "");
  EXPECT_EQ(usable_memory_bytes(folder_), 1000u * 1024);
}

TEST_F(MachineInfoTest, MemoryIsTheLeastLimitUpToTheTop) {
  file("/proc/meminfo", "MemTotal:       1000 kB\n");
  in_a_scope_of_a_slice();
  file("/two/cgroup.procs", "");
  file("/two/slice/memory.max", "5000\n");
  EXPECT_EQ(usable_memory_bytes(folder_), 5000u);
  file("/two/slice/scope/memory.max", "4000\n");
  EXPECT_EQ(usable_memory_bytes(folder_), 4000u);
}

TEST_F(MachineInfoTest, NothingToReadIsZero) {
  EXPECT_EQ(usable_memory_bytes(folder_), 0u);
  EXPECT_EQ(free_memory_permille(folder_), std::nullopt);
}

TEST_F(MachineInfoTest, FreeMemoryIsTheMachinesWhereNoLimitIsTighter) {
  file("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:        10 kB\nMemAvailable:   250 kB\n");
  EXPECT_EQ(free_memory_permille(folder_), 250u);
  file("/proc/self/cgroup", "4:memory:/job\n");
  file("/proc/self/mountinfo", "1 1 0:1 / /mem rw - cgroup cgroup rw,memory\n");
  file("/mem/job/memory.limit_in_bytes", "9223372036854771712\n");
  file("/mem/job/memory.usage_in_bytes", "900000\n");
  EXPECT_EQ(free_memory_permille(folder_), 250u);
}

TEST_F(MachineInfoTest, FreeMemoryIsWhatIsLeftUnderALimitWithCachedFiles) {
  file("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:   900 kB\n");
  in_a_scope_of_a_slice();
  file("/two/slice/memory.max", "10000\n");
  file("/two/slice/memory.current", "9000\n");
  file("/two/slice/memory.stat", "anon 5000\nactive_file 1000\ninactive_file 2000\n");
  EXPECT_EQ(free_memory_permille(folder_), 400u);
  file("/two/slice/memory.current", "20000\n");
  EXPECT_EQ(free_memory_permille(folder_), 0u);
}

TEST(MayMatter, ALargePartOfTheMemoryDoes) {
  EXPECT_FALSE(may_matter(300 << 20, 24ull << 30));
  EXPECT_TRUE(may_matter(3ull << 30, 24ull << 30));
  EXPECT_TRUE(may_matter(300 << 20, 1 << 30));
  EXPECT_TRUE(may_matter(1, 0)) << "the usable memory is unknown";
}

}  // namespace
}  // namespace muster
