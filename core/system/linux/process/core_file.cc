// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/core_file.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace muster {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// As a pattern for glob(7): parts that only the kernel knew (the name at that time, the time) match anything.
std::string expanded(char letter, const DeadProcess& process) {
  switch (letter) {
    case '%': return "%";
    case 'p':
    case 'P': return std::to_string(process.pid);
    case 's': return std::to_string(process.signal);
    case 'u': return std::to_string(getuid());
    case 'g': return std::to_string(getgid());
    default: return "*";
  }
}

std::string expanded(const DeadProcess& process, const std::string& pattern) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool escape = pattern[i] == '%' && i + 1 < pattern.size();
    path += escape ? expanded(pattern[++i], process) : std::string(1, pattern[i]);
  }
  return path;
}

std::string newest(const std::string& pattern) {
  glob_t found{};
  std::string best;
  time_t when = 0;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      struct stat about {};
      const bool later = stat(found.gl_pathv[i], &about) == 0 && about.st_mtime >= when;
      if (!later) continue;
      best = found.gl_pathv[i];
      when = about.st_mtime;
    }
  }
  globfree(&found);
  return best;
}

}  // namespace

std::string core_file_of(const DeadProcess& process, const std::string& pattern, bool uses_pid) {
  if (pattern.empty()) return "";
  if (pattern[0] == '|') {
    const bool systemd = pattern.find("systemd-coredump") != std::string::npos;
    return systemd ? "coredumpctl info " + std::to_string(process.pid) : "";
  }
  std::string path = expanded(process, pattern);
  if (uses_pid && pattern.find("%p") == std::string::npos) path += "." + std::to_string(process.pid);
  return newest(path[0] == '/' ? path : process.workdir + "/" + path);
}

std::string core_file_of(const DeadProcess& process) {
  return core_file_of(process, first_line("/proc/sys/kernel/core_pattern"),
                      first_line("/proc/sys/kernel/core_uses_pid") == "1");
}

}  // namespace muster
