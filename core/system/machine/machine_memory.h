// SPDX-License-Identifier: Apache-2.0
// The memory that this process may use, and how much of it is free. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace muster {

// The minimum of the machine's memory and the limits of this process's cgroups (versions 1 and 2) and their parents. 0:
// unknown. `root` is a prefix for /proc and /sys, for tests.
uint64_t usable_memory_bytes(const std::string& root = "");

// The free part of the usable memory; cached files count as free. The minimum over the machine and each cgroup limit.
// nullopt: unknown.
std::optional<uint32_t> free_memory_permille(const std::string& root = "");

// Anonymous and shared memory of the process and its descendants. Pages that processes share count in parts (Pss, proc(5)). 0: the
// process is gone, or the kernel does not tell the kinds of memory apart (before Linux 5.4).
uint64_t memory_of_tree(pid_t top);

// Whether the kernel may have killed a process because of its `bytes` of memory: at least 1/8 of `usable` (0: unknown).
bool may_matter(uint64_t bytes, uint64_t usable);

}  // namespace muster
