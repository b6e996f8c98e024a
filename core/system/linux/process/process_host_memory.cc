// LinuxProcessHost: memory limits without a cgroup, and the kernel's count of what it killed for memory.
#include <signal.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/system/linux/process/linux_process_host.h"
#include "core/system/linux/process/memory_use.h"

namespace muster {
namespace {

constexpr Duration kBetweenCounts = std::chrono::seconds(5);  // each takes the kernel 0.07 ms
constexpr Duration kBetweenLooks = std::chrono::seconds(1);   // at processes with a limit that no cgroup holds

}  // namespace

// While there are processes; what the kernel killed before was none of them.
void LinuxProcessHost::watch_memory() {
  if (memory_timer_ != 0) return;
  oom_kills_ = oom_count_.read();
  count_kills_for_memory();
}

// explain_kill compares with the count before the last, some seconds old: a process killed just before we looked takes a
// while to end.
void LinuxProcessHost::count_kills_for_memory() {
  oom_kills_before_ = std::exchange(oom_kills_, oom_count_.read());
  const bool limited = std::any_of(processes_.begin(), processes_.end(),
                                   [](const auto& entry) { return entry.second.watched_limit_bytes > 0; });
  const Duration period = limited ? kBetweenLooks : kBetweenCounts;
  memory_timer_ = loop_.at(next_whole(loop_.now(), period), [this] { look_at_memory(); });
}

void LinuxProcessHost::look_at_memory() {
  memory_timer_ = 0;
  std::vector<MemoryLimit> limits;
  for (const auto& [handle, process] : processes_) {
    const bool watched = process.watched_limit_bytes > 0 && process.excess.empty();
    if (watched) limits.push_back({static_cast<pid_t>(process.identity.pid), process.watched_limit_bytes});
  }
  for (const MemoryExcess& excess : find_excess(limits)) {
    Process* process = find(handles_[excess.leader]);
    if (process != nullptr) kill_for_memory(*process, excess.used_bytes);
  }
  if (!processes_.empty()) count_kills_for_memory();
}

void LinuxProcessHost::kill_for_memory(Process& process, uint64_t used_bytes) {
  process.excess = "used " + humane_size(used_bytes) + " of its " + humane_size(process.watched_limit_bytes);
  kill(-static_cast<pid_t>(process.identity.pid), SIGKILL);
}

}  // namespace muster
