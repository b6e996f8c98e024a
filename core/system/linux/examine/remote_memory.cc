// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/remote_memory.h"

#include <sys/uio.h>

namespace muster {

bool ProcessMemory::copy(uint64_t from, void* to, size_t size) const {
  iovec here{to, size};
  iovec there{reinterpret_cast<void*>(from), size};
  return from != 0 && process_vm_readv(pid_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace muster
