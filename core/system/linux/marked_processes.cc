// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/marked_processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "core/system/linux/pidfd.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

// Only readable for processes of our user.
bool is_marked(pid_t pid, const std::vector<std::string>& marks) {
  const auto text = read_small_file(process_folder(pid) + "/environ");
  if (!text) return false;
  const std::string entries = '\0' + *text;
  return std::all_of(marks.begin(), marks.end(),
                     [&](const std::string& mark) { return entries.find('\0' + mark + '\0') != std::string::npos; });
}

}  // namespace

std::vector<pid_t> marked_processes(const std::vector<std::string>& marks) {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    if (pid != getpid() && is_marked(pid, marks) && !has_ended(pid)) found.push_back(pid);
  }
  return found;
}

size_t kill_marked(const std::vector<std::string>& marks) {
  const std::vector<pid_t> found = marked_processes(marks);
  for (const pid_t pid : found) {
    // The pid may have been reused: open the descriptor first, then check the process again.
    const UniqueFd process = open_pidfd(pid);
    if (process.valid() && is_marked(pid, marks)) signal_pidfd(process, SIGKILL);
  }
  return found.size();
}

}  // namespace muster
