// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/machine_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

// A cgroup's limit. nullopt for "max" (version 2). Version 1 uses a number near 2^63 for no limit; it is larger than the
// memory of any machine.
std::optional<uint64_t> read_limit(const std::string& path) {
  const auto text = read_small_file(path);
  uint64_t bytes = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), bytes).ec != std::errc()) return std::nullopt;
  return bytes;
}

// File names of one cgroup version.
struct Names {
  const char* limit;
  const char* used;
  // Keys in memory.stat: bytes of `used` that the kernel can reclaim, those of mapped files included.
  std::array<const char*, 2> cached;
};
constexpr Names kV2{"/memory.max", "/memory.current", {"inactive_file", "active_file"}};
constexpr Names kV1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};

// The folder of a cgroup and its parents: their limits apply, too. Stops at the first folder without cgroup.procs, which
// is outside the hierarchy.
std::vector<std::string> folders_up(const std::optional<std::string>& folder) {
  constexpr size_t kDeepest = 32;
  std::vector<std::string> folders;
  std::string at = folder.value_or("");
  while (!at.empty() && folders.size() < kDeepest) {
    folders.push_back(at);
    if (!read_small_file(at + "/cgroup.procs")) break;
    at = at.substr(0, at.rfind('/'));
  }
  return folders;
}

uint64_t least_limit(const std::optional<std::string>& folder, const Names& names, uint64_t bytes) {
  for (const std::string& at : folders_up(folder))
    bytes = std::min(bytes, read_limit(at + names.limit).value_or(bytes));
  return bytes;
}

// The number after the word `name`.
std::optional<uint64_t> value_in(const std::string& text, const std::string& name) {
  std::istringstream words(text);
  uint64_t value = 0;
  for (std::string word; words >> word;) {
    if (word == name && words >> value) return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> machine_bytes(const std::string& root, const std::string& name) {
  const auto kibibytes = value_in(read_small_file(root + "/proc/meminfo").value_or(""), name);
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

uint32_t permille(uint64_t part, uint64_t whole) {
  return static_cast<uint32_t>(1000.0 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1)));
}

// The smallest free share under the limits of a cgroup and its parents. Ignores limits above the machine's memory.
uint32_t least_free(const std::optional<std::string>& folder, const Names& names, uint64_t machine, uint32_t least) {
  for (const std::string& at : folders_up(folder)) {
    const auto limit = read_limit(at + names.limit);
    const auto used = read_limit(at + names.used);
    if (!limit || !used || *limit > machine) continue;
    const std::string stat = read_small_file(at + "/memory.stat").value_or("");
    uint64_t cached = 0;
    for (const char* name : names.cached) cached += value_in(stat, name).value_or(0);
    const uint64_t needed = *used - std::min(*used, cached);
    least = std::min(least, permille(*limit - std::min(*limit, needed), *limit));
  }
  return least;
}

}  // namespace

bool may_matter(uint64_t bytes, uint64_t usable) {
  constexpr uint64_t kPart = 8;
  return bytes >= usable / kPart;
}

uint64_t usable_memory_bytes(const std::string& root) {
  const uint64_t machine = machine_bytes(root, "MemTotal:").value_or(0);
  return least_limit(cgroup_v1_folder("memory", root), kV1, least_limit(cgroup_v2_folder(root), kV2, machine));
}

uint64_t memory_of_tree(pid_t top) {
  std::map<pid_t, pid_t> parents;
  for (const pid_t pid : all_processes()) {
    if (const auto stat = read_stat(pid)) parents[pid] = stat->parent;
  }
  const auto is_below = [&](pid_t pid) {
    constexpr int kDeepest = 64;  // the list is not a snapshot: it may even contain a cycle
    for (int depth = 0; depth < kDeepest && pid != top && parents.contains(pid); ++depth) pid = parents[pid];
    return pid == top;
  };
  uint64_t kibibytes = 0;
  for (const auto& [pid, parent] : parents) {
    if (!is_below(pid)) continue;
    const std::string use = read_small_file("/proc/" + std::to_string(pid) + "/smaps_rollup").value_or("");
    kibibytes += value_in(use, "Pss_Anon:").value_or(0) + value_in(use, "Pss_Shmem:").value_or(0);
  }
  return kibibytes * 1024;
}

std::optional<uint32_t> free_memory_permille(const std::string& root) {
  const auto machine = machine_bytes(root, "MemTotal:");
  const auto available = machine_bytes(root, "MemAvailable:");
  if (!machine || !available) return std::nullopt;
  const uint32_t v2 = least_free(cgroup_v2_folder(root), kV2, *machine, permille(*available, *machine));
  return least_free(cgroup_v1_folder("memory", root), kV1, *machine, v2);
}

}  // namespace muster
