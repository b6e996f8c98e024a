// MemoryWatch: enforces memory limits that no cgroup enforces, and reads the kernel's count of the processes that it killed
// for memory. Works while there are processes. Loop thread only.
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

  // A process was added to the table.
  void begin();

  // Whether the kernel has killed a process for memory within the last seconds.
  bool kernel_killed() const { return count_.read() > kills_before_; }

 private:
  void count();
  void look();
  void kill_for_memory(HostedProcess& process, uint64_t used_bytes);

  FdLoop& loop_;
  ProcessTable& processes_;
  const KernelOomKills count_;
  uint64_t kills_ = 0;         // of the whole kernel, at the last look
  uint64_t kills_before_ = 0;  // and at the look before
  TimerId timer_ = 0;
};

}  // namespace muster
