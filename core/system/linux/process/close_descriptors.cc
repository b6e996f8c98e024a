// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/close_descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace muster {
namespace {

// Uses getdents64(2), because readdir(3) allocates.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

// -1 for "." and "..".
int parse_descriptor(const char* name) {
  int number = 0;
  for (; *name != '\0'; ++name) {
    if (*name < '0' || *name > '9') return -1;
    number = number * 10 + (*name - '0');
  }
  return number;
}

void close_entries(const char* entries, long size, int first, int folder) {
  for (long at = 0; at < size;) {
    const auto* entry = reinterpret_cast<const DirectoryEntry*>(entries + at);
    const int fd = parse_descriptor(entry->name);
    if (fd >= first && fd != folder) close(fd);
    at += entry->length;
  }
}

}  // namespace

void close_descriptors_by_proc(int first) {
  const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(DirectoryEntry) char entries[4096];
  long size = 0;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    close_entries(entries, size, first, folder);
  }
  close(folder);
}

bool own_descriptors_below(int first) { return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_UNSHARE) == 0; }

// close_range(2) and CLOSE_RANGE_UNSHARE appeared in the same kernel.
bool can_own_descriptors() { return syscall(SYS_close_range, ~0U, ~0U, 0) == 0; }

void close_descriptors_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) != 0) close_descriptors_by_proc(first);
}

}  // namespace muster
