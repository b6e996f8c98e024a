// SPDX-License-Identifier: Apache-2.0
// The memory of another process, or of a test's image of one.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace muster {

class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;

  // False: not all of the `size` bytes at `from` can be read. `to` may hold some of them.
  virtual bool copy(uint64_t from, void* to, size_t size) const = 0;
};

// Reads while the process runs (process_vm_readv(2)). Any thread. Needs the right to trace the process.
class ProcessMemory : public RemoteMemory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool copy(uint64_t from, void* to, size_t size) const override;

 private:
  pid_t pid_;
};

}  // namespace muster
