// ProcessTable: the processes that a LinuxProcessHost watches, until their ends are told. Loop thread only.
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
#include "core/system/linux/process/terminal.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct HostedProcess {
  ProcessIdentity identity;
  ExitHandler on_exit;
  UniqueFd pidfd;
  std::unique_ptr<LoopWatch> watch;  // of the pidfd; null: SIGCHLD tells
  std::unique_ptr<Terminal> terminal;
  std::shared_ptr<Cgroup> cgroup;
  std::string workdir;               // in which it began
  bool adopted = false;              // not our child
  bool exec = false;                 // no rank: a sweep kills it
  bool killed_by_us = false;         // by signal()
  uint64_t watched_limit_bytes = 0;  // of memory, if no cgroup enforces it; 0: none
  std::string excess;                // "used 2.3 GiB of its 2 GiB", once killed for it

  pid_t pid() const { return static_cast<pid_t>(identity.pid); }
};

class ProcessTable {
 public:
  using Processes = std::map<ProcessHandle, HostedProcess>;

  ProcessHandle add(HostedProcess process);
  // Null: there is no such process any more.
  HostedProcess* find(ProcessHandle handle);
  const HostedProcess* find(ProcessHandle handle) const;
  // By the number of a child of ours; nothing: not one of the table's.
  std::optional<ProcessHandle> child(pid_t pid) const;
  // Takes it out of the table. It is there.
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
