// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/shell_programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

bool is_shell(std::string_view command) {
  constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "zsh", "ksh", "ash"};
  return std::find(kShells.begin(), kShells.end(), command) != kShells.end();
}

// proc_pid_status(5): SigCgt is a mask in hexadecimal; bit 0 is signal 1.
bool catches(pid_t pid, int signal) {
  const std::string text = read_small_file("/proc/" + std::to_string(pid) + "/status").value_or("");
  constexpr std::string_view kField = "\nSigCgt:\t";
  const size_t at = text.find(kField);
  if (at == std::string::npos) return false;
  return (std::strtoull(text.c_str() + at + kField.size(), nullptr, 16) >> (signal - 1) & 1) != 0;
}

}  // namespace

std::vector<pid_t> programs_of_shell(pid_t pid, int signal) {
  const auto shell = read_stat(pid);
  if (!shell || !is_shell(shell->command) || !catches(pid, signal)) return {};
  std::vector<pid_t> programs;
  for (const pid_t each : all_processes()) {
    const auto stat = read_stat(each);
    if (stat && stat->parent == pid && stat->group == shell->group) programs.push_back(each);
  }
  return programs;
}

}  // namespace muster
