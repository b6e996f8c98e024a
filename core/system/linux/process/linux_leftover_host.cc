// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/linux_leftover_host.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "core/job/service_program.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/wait_status.h"

namespace muster {
namespace {

constexpr size_t kLongestCommand = 80;

// The words of its command line. A process that has none, such as a kernel helper, has the name of its program.
std::string command_of(pid_t pid) {
  std::string words = read_small_file(process_folder(pid) + "/cmdline").value_or("");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  if (words.empty()) {
    const auto stat = read_stat(pid);
    words = stat ? stat->command : "?";
  }
  if (words.size() > kLongestCommand)
    words = words.substr(0, kLongestCommand - begun_character(words.substr(0, kLongestCommand))) + "…";
  return escaped(words);
}

// The process and its descendants.
std::vector<pid_t> tree_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    if (const auto stat = read_stat(pid)) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> tree = {root};
  for (size_t at = 0; at < tree.size(); ++at) {
    const auto [begin, end] = children.equal_range(tree[at]);
    for (auto each = begin; each != end; ++each) tree.push_back(each->second);
  }
  return tree;
}

// The targets of its open files. None: they may not be read.
std::optional<std::vector<std::string>> open_files_of(pid_t pid) {
  const std::string path = process_folder(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return std::nullopt;
  std::vector<std::string> targets;
  while (const dirent* entry = readdir(folder.get())) {
    std::array<char, 256> target{};
    const ssize_t size = readlink((path + "/" + entry->d_name).c_str(), target.data(), target.size());
    if (size > 0) targets.emplace_back(target.data(), static_cast<size_t>(size));
  }
  return targets;
}

// What a process with a GPU context has open. A monitor that reads temperatures over NVML opens only /dev/nvidiactl and
// /dev/nvidia0.
bool is_device(const std::string& target) {
  return target.starts_with("/dev/nvidia-uvm") || target.starts_with("/dev/kfd") || target.starts_with("/dev/dri/");
}

// Adds "socket:[INODE]" of each socket in a table of /proc/PID/net that others can reach: of TCP those that listen (state 0A), of UDP
// those that are not connected (07) (proc_net_tcp.txt of the kernel).
void add_ports(pid_t pid, const std::string& table, std::set<std::string>& sockets) {
  std::istringstream lines(read_small_file(process_folder(pid) + "/net/" + table).value_or(""));
  std::string line;
  std::getline(lines, line);  // the head
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::array<std::string, 10> field;  // the 4th: state, the 10th: inode
    for (std::string& each : field) fields >> each;
    if (field[3] == (table.starts_with("udp") ? "07" : "0A")) sockets.insert("socket:[" + field[9] + "]");
  }
}

bool holds(const std::vector<std::string>& targets, const std::set<std::string>& ports) {
  return std::any_of(targets.begin(), targets.end(),
                     [&](const std::string& target) { return is_device(target) || ports.contains(target); });
}

}  // namespace

// A child that ends after the children were listed leaves its own children to us, which are not in that list. So the list is read
// again until no further child has ended.
std::vector<Leftover> LinuxLeftoverHost::leftovers() {
  std::vector<Leftover> found;
  if (!has_children()) return found;  // the usual case without warm parents; listing children takes longer
  std::set<pid_t> ended;
  size_t known = 0;
  do {
    known = ended.size();
    found.clear();
    for (const pid_t pid : own_children()) {
      if (processes_.hosts(pid)) continue;
      const auto stat = read_stat(pid);
      if (stat && stat->state != 'Z') {
        found.push_back({{pid, stat->start_ticks}, stat->session});
      } else {
        ended.insert(pid);
      }
    }
  } while (ended.size() > known);
  return found;
}

bool LinuxLeftoverHost::sees_processes() { return read_stat(getpid()).has_value(); }

bool LinuxLeftoverHost::reads_from_another(const Leftover& leftover, const std::vector<Leftover>& all) {
  std::vector<pid_t> others;
  for (const Leftover& other : all) {
    if (other.session == leftover.session) others.push_back(static_cast<pid_t>(other.identity.pid));
  }
  return reads_output_of(static_cast<pid_t>(leftover.identity.pid), others);
}

LeftoverOrigin LinuxLeftoverHost::origin(const Leftover& leftover) {
  const auto pid = static_cast<pid_t>(leftover.identity.pid);
  const std::map<std::string, std::string> environment = read_environment(pid);
  const auto value = [&](const char* name) {
    const auto variable = environment.find(name);
    return variable == environment.end() ? std::string() : variable->second;
  };
  LeftoverOrigin origin;
  origin.command = command_of(pid);
  origin.rank = value("MUSTER_RANK");
  origin.attempt = static_cast<Attempt>(std::strtoul(value("MUSTER_ATTEMPT").c_str(), nullptr, 10));
  origin.service = !value(kServiceVariable).empty() && origin.rank.empty();
  return origin;
}

bool LinuxLeftoverHost::holds_device_or_port(const Leftover& leftover) {
  std::set<std::string> ports;
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"})
    add_ports(static_cast<pid_t>(leftover.identity.pid), table, ports);
  for (const pid_t pid : tree_of(static_cast<pid_t>(leftover.identity.pid))) {
    const auto targets = open_files_of(pid);
    const bool gone = !targets && !read_stat(pid);
    if (!gone && (!targets || holds(*targets, ports))) return true;
  }
  return false;
}

// It is our child, so its pid is not reused before it is reaped here.
void LinuxLeftoverHost::signal(const Leftover& leftover, int number) {
  const auto pid = static_cast<pid_t>(leftover.identity.pid);
  if (start_ticks(pid) != leftover.identity.start_ticks) return;
  const bool leads = getpgid(pid) == pid;
  kill(number == SIGKILL && leads ? -pid : pid, number);
}

}  // namespace muster
