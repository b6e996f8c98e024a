// SPDX-License-Identifier: Apache-2.0
// ProcessTable: the processes that a LinuxProcessHost watches, until their exits are reported. Loop thread only.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/port/process_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/cgroup.h"
#include "core/system/linux/terminal/terminal.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct HostedProcess {
  ProcessIdentity identity;
  ExitHandler on_exit;
  UniqueFd pidfd;
  std::unique_ptr<LoopWatch> watch;  // watches the pidfd; null: SIGCHLD reports the exit
  std::unique_ptr<Terminal> terminal;
  std::shared_ptr<Cgroup> cgroup;
  std::string workdir;               // in which it was started
  bool adopted = false;              // not a child of this process
  bool exec = false;                 // an exec process: a sweep kills it
  bool killed_by_us = false;         // with signal()
  bool signalled_by_us = false;      // with any signal
  uint64_t watched_limit_bytes = 0;  // of memory, if no cgroup enforces it; 0: no limit
  std::string excess;                // "used 2.3 GiB of its 2 GiB", set when it is killed for that

  pid_t pid() const { return static_cast<pid_t>(identity.pid); }
};

class ProcessTable {
 public:
  using Processes = std::map<ProcessHandle, HostedProcess>;

  ProcessHandle add(HostedProcess process);
  // Null: there is no such process.
  HostedProcess* find(ProcessHandle handle);
  const HostedProcess* find(ProcessHandle handle) const;
  // Finds a child of ours by its pid. None: it is not in the table.
  std::optional<ProcessHandle> child(pid_t pid) const;
  // Removes it from the table, in which it must be.
  HostedProcess take(ProcessHandle handle);

  Processes& all() { return processes_; }
  const Processes& all() const { return processes_; }
  std::set<pid_t> children() const;

 private:
  Processes processes_;
  std::map<pid_t, ProcessHandle> children_;
  ProcessHandle last_handle_ = 0;
};

}  // namespace muster
