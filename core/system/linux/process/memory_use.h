// Memory of a process with all it started, for limits where no cgroup enforces them. Reads /proc. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/system/posix/unique_fd.h"

namespace muster {

struct MemoryLimit {
  pid_t leader = 0;
  uint64_t limit_bytes = 0;
};

struct MemoryExcess {
  pid_t leader = 0;
  uint64_t used_bytes = 0;
};

// Those of `limits` whose process, its group, its session and its descendants use more. Pages that several of them
// share count once, so data loaders forked from one process are not held against it (Pss, proc(5)).
std::vector<MemoryExcess> find_excess(const std::vector<MemoryLimit>& limits);

// How many processes the kernel has killed for memory since it started (/proc/vmstat). It stays open: it is read each second.
class KernelOomKills {
 public:
  KernelOomKills();
  uint64_t read() const;  // 0 when the kernel does not tell

 private:
  UniqueFd file_;
};

}  // namespace muster
