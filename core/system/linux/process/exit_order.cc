// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/exit_order.h"

#include <cstdlib>

#include "core/base/text.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(2);
constexpr Duration kLongest = std::chrono::milliseconds(100);
constexpr unsigned long kExiting = 0x4;  // PF_EXITING of the kernel
constexpr size_t kFlags = 7;             // its position behind the name, in /proc/PID/stat (proc(5))

}  // namespace

void ExitOrder::report_after(std::vector<pid_t> processes, std::function<void()> report) {
  std::erase_if(processes, [this](pid_t pid) { return !is_ending_(pid); });
  if (processes.empty()) return report();
  wait(std::move(processes), loop_.now() + kLongest, std::move(report));
}

void ExitOrder::wait(std::vector<pid_t> ending, TimePoint until, std::function<void()> report) {
  loop_.at(loop_.now() + kLookAgain,
           [this, alive = alive_, ending = std::move(ending), until, report = std::move(report)]() mutable {
             if (!*alive) return;
             std::erase_if(ending, [this](pid_t pid) { return !is_ending_(pid); });
             if (ending.empty() || loop_.now() >= until) return report();
             wait(std::move(ending), until, std::move(report));
           });
}

bool has_begun_to_exit(pid_t pid) {
  const std::string line = read_proc_line("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return false;
  const std::vector<std::string> fields = split(line.substr(name_end + 1), ' ');
  return fields.size() > kFlags && (std::strtoul(fields[kFlags].c_str(), nullptr, 10) & kExiting) != 0;
}

}  // namespace muster
