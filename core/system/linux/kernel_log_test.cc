// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/kernel_log.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::string_view kRecord =
    "3,617,1309818615,-;Memory cgroup out of memory: Killed process 11846 (python3) total-vm:165112kB, "
    "anon-rss:153064kB, "
    "file-rss:6600kB, shmem-rss:0kB, UID:0 pgtables:372kB oom_score_adj:0\n";

TEST(KernelKill, OfARecord_HasThePidTheNameAndTheMemory) {
  EXPECT_EQ(parse_kernel_kill(kRecord), (KernelKill{11846, "python3", uint64_t{153064} * 1024}));
  EXPECT_EQ(parse_kernel_kill("3,1,2,-;Out of memory: Killed process 7 (a (b) c) total-vm:1kB, anon-rss:2kB\n"),
            (KernelKill{7, "a (b", 2048}));
  EXPECT_EQ(parse_kernel_kill("3,1,2,-;Out of memory: Killed process 7 (x) and no more"), (KernelKill{7, "x", 0}));
}

TEST(KernelKill, OfOtherRecords_IsNothing) {
  for (const char* record :
       {"", "4,538,1309815814,-;python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0",
        "Out of memory: Killed process 7 (x) y;", "3,1,2,-;Out of memory: Killed process x (y) z",
        "3,1,2,-;Out of memory: Killed process 7", "3,1,2,-;Out of memory: Killed process -7 (y) z"})
    EXPECT_FALSE(parse_kernel_kill(record)) << record;
}

TEST(KernelLog, WithoutANewKill_HasNone) {
  KernelLog log;
  for (const KernelKill& kill : log.kills()) EXPECT_GT(kill.pid, 0);
}

}  // namespace
}  // namespace muster
