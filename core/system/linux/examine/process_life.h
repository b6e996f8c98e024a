// SPDX-License-Identifier: Apache-2.0
// Reads from /proc how a process and its descendants are doing, for the watchdog. Any thread. No read waits for the process,
// even if it is stopped or blocked in the kernel. Exception: during execve(2), /proc/PID/io may wait for the end of that call.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/rank/rank_sample.h"
#include "core/system/linux/proc_files.h"

namespace muster {

using ProcessStats = std::map<pid_t, ProcessStat>;
ProcessStats read_process_table();

// A process with its descendants. Empty: the process is gone.
using Family = std::vector<ProcessStat>;
Family family_in(const ProcessStats& table, pid_t leader);
// The same without reading the table of all processes, which is long. None: the family has so many threads, each with its own list of
// children, that the table is cheaper, or the kernel has no such lists.
std::optional<Family> small_family(pid_t leader);

// Fills everything except the calls. `outputs`: paths of files.
RankActivity life_of(const Family& family, const std::vector<std::string>& outputs);

struct AwaitedProcess : ProcessStat {
  // False: it sleeps, but the kernel does not tell where, so it may wait for a child. Since Linux 6.12, a process can stay on the
  // run queue for a moment after it has fallen asleep.
  bool certain = true;
};

// The process that the others wait for: if a shell waits for its only child, that child; otherwise `leader`. None: it is
// gone. Calls `meet` with each process on the way, before its state is read.
std::optional<AwaitedProcess> awaited_process(
    pid_t leader, const std::function<void(pid_t)>& meet = [](pid_t) {});

// The number of times that the main thread was given a CPU; 0: the process is gone.
uint64_t times_run(pid_t pid);

// The kernel function in which a thread waits. Empty: it does not wait, or the kernel does not report it. `task`: "/proc/7/task/9".
std::string wait_channel(const std::string& task);

}  // namespace muster
