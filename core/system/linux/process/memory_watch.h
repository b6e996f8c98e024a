// SPDX-License-Identifier: Apache-2.0
// MemoryWatch: enforces memory limits that no cgroup enforces, and knows what this machine tells about processes that the
// kernel has killed for memory. Runs while there are processes. Loop thread only.
#pragma once

#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/memory_use.h"
#include "core/system/linux/process/oom_evidence.h"
#include "core/system/linux/process/process_table.h"

namespace muster {

class MemoryWatch {
 public:
  // `cgroup`: the folder of the cgroup that all processes are in; empty: not known.
  MemoryWatch(FdLoop& loop, ProcessTable& processes, std::string cgroup)
      : loop_(loop),
        processes_(processes),
        evidence_(std::move(cgroup)) {}
  ~MemoryWatch() { loop_.cancel(timer_); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // Call when a process was added to the table.
  void begin();

  // Whether the kernel has killed processes for memory in the last seconds.
  OomFacts facts() { return evidence_.facts(); }

 private:
  void count();
  void look();
  void kill_for_memory(HostedProcess& process, uint64_t used_bytes);

  FdLoop& loop_;
  ProcessTable& processes_;
  OomEvidence evidence_;
  TimerId timer_ = 0;
};

}  // namespace muster
