// SPDX-License-Identifier: Apache-2.0
// Memory of a process with all its descendants, for limits that no cgroup enforces. Reads /proc. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
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

// The entries of `limits` whose process, group, session and descendants together use more memory. Counts what the
// kernel cannot take back, as a cgroup's limit does: anonymous and shared memory, but no pages of mapped files. Pages that several
// processes share count once, so data loaders that were forked from one process are not overcounted (Pss, proc(5)).
std::vector<MemoryExcess> find_excess(const std::vector<MemoryLimit>& limits);

// The number of processes that the kernel has killed for memory since boot (/proc/vmstat). The file stays open: it is read each second.
class KernelOomKills {
 public:
  KernelOomKills();
  std::optional<uint64_t> read() const;  // nothing: the kernel does not report it

 private:
  UniqueFd file_;
};

}  // namespace muster
