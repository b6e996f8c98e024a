// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/shell_programs.h"

#include <signal.h>

#include <cstdlib>
#include <string>

#include "core/job/interpreters.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

// proc_pid_status(5): masks are hexadecimal; bit 0 is signal 1.
bool has_signal(pid_t pid, const std::string& mask, int signal) {
  const std::string text = read_small_file("/proc/" + std::to_string(pid) + "/status").value_or("");
  const std::string field = "\n" + mask + ":\t";
  const size_t at = text.find(field);
  if (at == std::string::npos) return false;
  return (std::strtoull(text.c_str() + at + field.size(), nullptr, 16) >> (signal - 1) & 1) != 0;
}

// A shell without job control starts a program behind `&` with SIGINT ignored (POSIX, 2.11 Signals and Error Handling). Its trap
// decides what such a program gets.
bool in_background(pid_t pid) { return has_signal(pid, "SigIgn", SIGINT); }

}  // namespace

std::vector<pid_t> programs_of_shell(pid_t pid, int signal) {
  const auto shell = read_stat(pid);
  if (!shell || !is_shell_name(shell->command) || !has_signal(pid, "SigCgt", signal)) return {};
  std::vector<pid_t> programs;
  for (const pid_t each : all_processes()) {
    const auto stat = read_stat(each);
    const bool own = stat && stat->parent == pid && stat->group == shell->group;
    if (own && (in_background(pid) || !in_background(each))) programs.push_back(each);
  }
  const std::vector<pid_t> all = programs;
  std::erase_if(programs, [&](pid_t each) { return reads_output_of(each, all); });
  return programs;
}

}  // namespace muster
