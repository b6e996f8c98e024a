// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/process_life.h"

#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <sstream>

namespace muster {
namespace {

constexpr int kDeepest = 8;
// Limit for one rank: each thread takes one file.
constexpr uint64_t kFewThreads = 8;

std::string folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

// The sum of the numbers after `names` in a file of "name: value" lines.
uint64_t sum_in(const std::string& text, const std::set<std::string>& names) {
  std::istringstream words(text);
  uint64_t sum = 0;
  for (std::string word; words >> word;) {
    uint64_t value = 0;
    if (names.count(word) > 0 && words >> value) sum += value;
  }
  return sum;
}

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return !path.empty() && stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// Adds the children of `parent` to `next` and subtracts its threads from `threads`. False: it has more threads than that.
bool add_children(const ProcessStat& parent, uint64_t& threads, std::vector<pid_t>& next) {
  if (parent.threads > threads) return false;
  threads -= parent.threads;
  for (const pid_t thread : parent.threads == 1 ? std::vector<pid_t>{parent.pid} : threads_of(parent.pid)) {
    const auto children = children_of_thread(parent.pid, thread);
    if (!children && thread == parent.pid) return false;
    if (children) next.insert(next.end(), children->begin(), children->end());
  }
  return true;
}

pid_t only_child(pid_t pid) {
  const std::string folder = folder_of(pid);
  std::istringstream words(read_small_file(folder + "/task/" + std::to_string(pid) + "/children").value_or(""));
  pid_t child = 0;
  pid_t another = 0;
  words >> child;
  return words >> another ? 0 : child;
}

}  // namespace

ProcessStats read_process_table() {
  ProcessStats table;
  for (const pid_t pid : all_processes()) {
    if (auto stat = read_stat(pid)) table.emplace(pid, std::move(*stat));
  }
  return table;
}

Family family_in(const ProcessStats& table, pid_t leader) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (const auto& [pid, stat] : table) children[stat.parent].push_back(pid);
  Family family;
  std::set<pid_t> found;
  std::vector<pid_t> next{leader};
  while (!next.empty()) {
    const pid_t pid = next.back();
    next.pop_back();
    if (table.count(pid) == 0 || !found.insert(pid).second) continue;
    family.push_back(table.at(pid));
    const auto below = children.find(pid);
    if (below != children.end()) next.insert(next.end(), below->second.begin(), below->second.end());
  }
  return family;
}

std::optional<Family> small_family(pid_t leader) {
  uint64_t threads = kFewThreads;
  Family family;
  std::set<pid_t> found;
  std::vector<pid_t> next{leader};
  while (!next.empty()) {
    const pid_t pid = next.back();
    next.pop_back();
    const auto stat = found.insert(pid).second ? read_stat(pid) : std::nullopt;
    if (!stat) continue;
    const bool ended = stat->state == 'Z' && stat->threads <= 1;
    if (!ended && !add_children(*stat, threads, next)) return std::nullopt;
    family.push_back(*stat);
  }
  return family;
}

RankActivity life_of(const Family& family, const std::vector<std::string>& outputs) {
  RankActivity life;
  uint64_t ticks = 0;
  for (const ProcessStat& one : family) {
    ticks += one.cpu_ticks;
    life.memory_bytes += one.rss_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    life.io_bytes += sum_in(read_small_file(folder_of(one.pid) + "/io").value_or(""), {"rchar:", "wchar:"});
    life.processes += static_cast<uint64_t>(one.pid);
  }
  life.cpu = Duration(std::chrono::seconds(1)) / sysconf(_SC_CLK_TCK) * static_cast<int64_t>(ticks);
  for (const std::string& output : outputs) life.output_bytes += size_of(output);
  return life;
}

std::optional<AwaitedProcess> awaited_process(pid_t leader, const std::function<void(pid_t)>& meet) {
  meet(leader);
  std::optional<ProcessStat> at = read_stat(leader);
  bool certain = true;
  for (int depth = 0; at && at->state == 'S' && depth < kDeepest; ++depth) {
    const std::string channel = wait_channel(folder_of(at->pid));
    certain = !channel.empty();
    const pid_t child = channel == "do_wait" ? only_child(at->pid) : 0;
    if (child == 0) break;
    meet(child);
    at = read_stat(child);
  }
  if (!at) return std::nullopt;
  return AwaitedProcess{*at, certain};
}

uint64_t times_run(pid_t pid) {
  return sum_in(read_small_file(folder_of(pid) + "/status").value_or(""),
                {"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"});
}

std::string wait_channel(const std::string& task) {
  const std::string name = read_proc_line(task + "/wchan").value_or("");
  return name == "0" ? "" : name.substr(0, name.find('.'));  // "poll_schedule_timeout.constprop.0"
}

}  // namespace muster
