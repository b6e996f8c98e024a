// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/memory_watch.h"

#include <signal.h>

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr Duration kBetweenCounts = std::chrono::seconds(5);  // one read takes 0.07 ms in the kernel
constexpr Duration kBetweenLooks = std::chrono::seconds(1);   // for processes with a limit that no cgroup enforces

}  // namespace

// Kills from before the first process do not count.
void MemoryWatch::begin() {
  if (timer_ != 0) return;
  evidence_.count();
  count();
}

void MemoryWatch::count() {
  evidence_.count();
  const bool limited = std::any_of(processes_.all().begin(), processes_.all().end(),
                                   [](const auto& entry) { return entry.second.watched_limit_bytes > 0; });
  const Duration period = limited ? kBetweenLooks : kBetweenCounts;
  timer_ = loop_.at(next_whole(loop_.now(), period), [this] { look(); });
}

void MemoryWatch::look() {
  timer_ = 0;
  std::vector<MemoryLimit> limits;
  for (const auto& [handle, process] : processes_.all()) {
    const bool watched = process.watched_limit_bytes > 0 && process.excess.empty();
    if (watched) limits.push_back({process.pid(), process.watched_limit_bytes});
  }
  for (const MemoryExcess& excess : find_excess(limits)) {
    const std::optional<ProcessHandle> leader = processes_.child(excess.leader);
    if (leader) kill_for_memory(*processes_.find(*leader), excess.used_bytes);
  }
  if (!processes_.all().empty()) count();
}

void MemoryWatch::kill_for_memory(HostedProcess& process, uint64_t used_bytes) {
  process.excess = "used " + humane_size(used_bytes) + " of its " + humane_size(process.watched_limit_bytes);
  kill(-process.pid(), SIGKILL);
}

}  // namespace muster
