// SPDX-License-Identifier: Apache-2.0
// MemoryWatch: enforces memory limits that no cgroup enforces, and reads how many processes the kernel has killed
// for memory. Runs while there are processes. Loop thread only.
#pragma once

#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/memory_use.h"
#include "core/system/linux/process/process_table.h"

namespace muster {

class MemoryWatch {
 public:
  MemoryWatch(FdLoop& loop, ProcessTable& processes) : loop_(loop), processes_(processes) {}
  ~MemoryWatch() { loop_.cancel(timer_); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // Call when a process was added to the table.
  void begin();

  // Whether the kernel has killed a process for memory in the last seconds.
  bool kernel_killed() const { return count_.read() > kills_before_; }

 private:
  void count();
  void look();
  void kill_for_memory(HostedProcess& process, uint64_t used_bytes);

  FdLoop& loop_;
  ProcessTable& processes_;
  const KernelOomKills count_;
  uint64_t kills_ = 0;         // of the whole machine, at the last count
  uint64_t kills_before_ = 0;  // at the count before
  TimerId timer_ = 0;
};

}  // namespace muster
