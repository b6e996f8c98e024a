// What /proc tells of a process with all it started, for a watch over it. Any thread. No file read here waits for the process,
// be it stopped or in a wait of the kernel; one that is in the middle of execve(2) may make /proc/PID/io wait for that to end.
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

// A process with its descendants. Empty: it is gone.
using Family = std::vector<ProcessStat>;
Family family_in(const ProcessStats& table, pid_t leader);
// The same without the table of all processes, which is long. None: they have so many threads, each of which may have children, that the
// table is shorter, or this kernel does not tell.
std::optional<Family> small_family(pid_t leader);

// But for its calls. `outputs`: files.
RankActivity life_of(const Family& family, const std::vector<std::string>& outputs);

// The process that the others wait for: of a shell that waits for its only child, that child. `leader` itself otherwise. None: it is
// gone. `meet` runs with each process on the way, before it is looked at.
std::optional<ProcessStat> awaited_process(
    pid_t leader, const std::function<void(pid_t)>& meet = [](pid_t) {});

// How often its main thread was given a CPU; 0 when it is gone.
uint64_t times_run(pid_t pid);

// The kernel function in which a thread waits; empty: it does not, or the kernel does not tell. `task`: "/proc/7/task/9".
std::string wait_channel(const std::string& task);

}  // namespace muster
