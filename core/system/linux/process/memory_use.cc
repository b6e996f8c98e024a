// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/memory_use.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

using Processes = std::map<pid_t, ProcessStat>;

Processes read_processes() {
  Processes processes;
  for (const pid_t pid : all_processes()) {
    if (auto stat = read_stat(pid)) processes.emplace(pid, std::move(*stat));
  }
  return processes;
}

bool is_under(const Processes& processes, const ProcessStat& process, pid_t leader) {
  constexpr int kDeepest = 64;  // the list is not a snapshot: it may even contain a cycle
  const ProcessStat* at = &process;
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (at->pid == leader || at->group == leader || at->session == leader) return true;
    const auto parent = processes.find(at->parent);
    if (parent == processes.end()) return false;
    at = &parent->second;
  }
  return false;
}

// The word after `name` in a file of "name value" lines; 0 if the name is missing.
uint64_t value_in(const std::string& text, const std::string& name) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    uint64_t value = 0;
    if (word == name && words >> value) return value;
  }
  return 0;
}

uint64_t resident_bytes(const ProcessStat& process) {
  return process.rss_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Resident anonymous and shared memory. A page that several processes share counts in each of them.
uint64_t kept_bytes(const ProcessStat& process) {
  const auto status = read_small_file(process_folder(process.pid) + "/status").value_or("");
  if (status.find("\nRssAnon:") == std::string::npos) return resident_bytes(process);
  return (value_in(status, "RssAnon:") + value_in(status, "RssShmem:")) * 1024;
}

// The same, but a page that several processes share counts in parts. The file is not readable if the process changed its user,
// and Linux before 5.4 does not tell the kinds of memory apart. Then the result may be too large but not too small.
uint64_t proportional_bytes(const ProcessStat& process) {
  const auto rollup = read_small_file(process_folder(process.pid) + "/smaps_rollup");
  const uint64_t kept = kept_bytes(process);
  if (!rollup) return kept;
  if (rollup->find("\nPss_Anon:") == std::string::npos) return std::min(kept, value_in(*rollup, "Pss:") * 1024);
  return (value_in(*rollup, "Pss_Anon:") + value_in(*rollup, "Pss_Shmem:")) * 1024;
}

uint64_t sum_of(const std::vector<const ProcessStat*>& members, uint64_t (*bytes)(const ProcessStat&)) {
  uint64_t sum = 0;
  for (const ProcessStat* member : members) sum += bytes(*member);
  return sum;
}

// The exact sum walks page tables, so it is computed only if the cheaper upper bounds exceed the limit.
uint64_t used_bytes(const Processes& processes, const MemoryLimit& limit) {
  std::vector<const ProcessStat*> members;
  for (const auto& [pid, process] : processes) {
    if (is_under(processes, process, limit.leader)) members.push_back(&process);
  }
  uint64_t used = 0;
  for (const auto bytes : {resident_bytes, kept_bytes, proportional_bytes}) {
    used = sum_of(members, bytes);
    if (used <= limit.limit_bytes) break;
  }
  return used;
}

}  // namespace

std::vector<MemoryExcess> find_excess(const std::vector<MemoryLimit>& limits) {
  std::vector<MemoryExcess> excess;
  if (limits.empty()) return excess;
  const Processes processes = read_processes();
  for (const MemoryLimit& limit : limits) {
    const uint64_t used = used_bytes(processes, limit);
    if (used > limit.limit_bytes) excess.push_back({limit.leader, used});
  }
  return excess;
}

KernelOomKills::KernelOomKills() : file_(open("/proc/vmstat", O_RDONLY | O_CLOEXEC)) {}

// Stops reading once the counter is found: for each page, the kernel computes all sums anew.
std::optional<uint64_t> KernelOomKills::read() const {
  constexpr std::string_view kName = "\noom_kill ";
  std::string text;
  char page[4096];
  ssize_t got = file_.valid() && lseek(file_.get(), 0, SEEK_SET) == 0 ? 1 : 0;
  while (got > 0) {
    got = ::read(file_.get(), page, sizeof page);
    if (got > 0) text.append(page, static_cast<size_t>(got));
    const size_t at = text.find(kName);
    if (at != std::string::npos && text.find('\n', at + 1) != std::string::npos)
      return std::strtoull(text.c_str() + at + kName.size(), nullptr, 10);
  }
  return std::nullopt;
}

}  // namespace muster
