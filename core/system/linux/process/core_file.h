// SPDX-License-Identifier: Apache-2.0
// Finds the core dump of a process (core(5)). Reads /proc and the folder that it names. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct DeadProcess {
  int64_t pid = 0;
  int signal = 0;
  std::string workdir;  // in which it was started
};

// The path of the file, or, for systemd's collector, the command that shows it. Empty: not known.
std::string core_file_of(const DeadProcess& process);

// The same with the given contents of /proc/sys/kernel/core_pattern and core_uses_pid.
std::string core_file_of(const DeadProcess& process, const std::string& pattern, bool uses_pid);

}  // namespace muster
