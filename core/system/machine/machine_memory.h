// How much memory this process may use, and how much of it nobody uses. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster {

// The least of the machine's and of the limits of our cgroups, of either version, up to the top. 0 when nothing
// tells. `root` stands before /proc and /sys, for tests.
uint64_t usable_memory_bytes(const std::string& root = "");

// What part of it could be had now, files that are only cached counted as free: the least of the machine's and of what is left under
// each limit. None when nothing tells.
std::optional<uint32_t> free_memory_permille(const std::string& root = "");

// Whether a process with so much may have been killed for it: it had a part of `usable` (0: not known) that counts.
bool may_matter(uint64_t bytes, uint64_t usable);

}  // namespace muster
