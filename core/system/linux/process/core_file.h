// Where the kernel has left the memory of a process that died (core(5)). Reads /proc and the folder it names. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct DeadProcess {
  int64_t pid = 0;
  int signal = 0;
  std::string workdir;  // in which it began
};

// The file; for systemd's collector the command that shows it; empty: nobody knows.
std::string core_file_of(const DeadProcess& process);

// The same by the text of /proc/sys/kernel/core_pattern and core_uses_pid.
std::string core_file_of(const DeadProcess& process, const std::string& pattern, bool uses_pid);

}  // namespace muster
