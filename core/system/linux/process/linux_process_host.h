// SPDX-License-Identifier: Apache-2.0
// LinuxProcessHost: implements ProcessHost with clone3, pidfd, waitid and, if available, cgroup v2.
//
// Loop thread only. This must be the thread that lives as long as the process (`dies_with_us` refers to the end of the
// thread, prctl(2)). Must not be destroyed from within its own handlers. Processes that still run when it is destroyed
// continue.
#pragma once

#include <sys/resource.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/log.h"
#include "core/port/process_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/cgroup.h"
#include "core/system/linux/process/exit_order.h"
#include "core/system/linux/process/memory_watch.h"
#include "core/system/linux/process/process_sweep.h"
#include "core/system/linux/process/process_table.h"
#include "core/system/linux/terminal/rank_streams.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// Which process reaps orphaned descendants.
enum class Orphans {
  adopted,  // we are their subreaper (prctl(2)) and reap every child, so nothing else in the process may make any:
            // agents
  ignored,  // init's; sweep() does nothing: controllers and commands, which also run helper programs
};

class LinuxProcessHost final : public ProcessHost {
 public:
  // Raises the process's soft limit of open files to the hard limit. Children get the previous soft limit.
  // `cgroup`: in which to make cgroups for requests that name one. None: memory limits are watched.
  LinuxProcessHost(FdLoop& loop, Log& log, Orphans orphans, std::optional<DelegatedCgroup> cgroup);
  ~LinuxProcessHost() override;

  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override;
  // Adopts a child of this process that spawn() did not start and that waits for permission to begin. `request` describes it, and it
  // has `terminal`, if there is one.
  Result<ProcessHandle> take_in(pid_t pid, const SpawnRequest& request, std::unique_ptr<Terminal> terminal,
                                ExitHandler on_exit);
  // Opens the streams that a request names besides its files.
  Result<RankStreams> open_streams(const SpawnRequest& request) {
    return RankStreams::open(loop_, log_, request, kept_terminals_);
  }
  // Pseudo-terminals of later starts are kept there. It must outlive this object.
  void keep_terminals(KeptTerminals& kept) { kept_terminals_ = &kept; }
  // Starts an exec process (core/port/exec_host.h) with the given terminal or stdio. It shares the cgroup of `beside`. It is not a
  // rank, so a sweep kills it.
  struct ExecPlace {
    ProcessHandle beside = 0;
    int terminal = -1;
    std::array<int, 3> stdio{-1, -1, -1};
  };
  Result<ProcessHandle> spawn_exec(const SpawnRequest& request, const ExecPlace& place, ExitHandler on_exit);
  // Whether this is a child that spawn(), spawn_exec() or take_in() keeps.
  bool hosts(pid_t child) const { return processes_.child(child).has_value(); }
  // With Orphans::adopted: `handler` is called after children have ended. Null: none.
  void on_orphan_end(std::function<void()> handler) { orphan_ended_ = std::move(handler); }
  // The soft limit of open files for children that request no other.
  rlim_t open_files_of_children() const { return open_files_.rlim_cur; }
  // Code::unimplemented: the kernel has no pidfd_open (Linux before 5.3).
  Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) override;
  ProcessIdentity identity(ProcessHandle process) const override;
  void signal(ProcessHandle process, int number, SignalReach reach) override;
  void sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done) override;
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done) override;
  void write_tty(ProcessHandle process, std::string_view bytes) override;
  void resize_tty(ProcessHandle process, uint16_t rows, uint16_t columns) override;

 private:
  ProcessHandle keep(HostedProcess process);
  std::shared_ptr<Cgroup> cgroup_of(const SpawnRequest& request);
  // The same one for all requests of this name, as long as one of their processes is there.
  std::shared_ptr<Cgroup> shared_cgroup_of(const SpawnRequest& request);
  void on_child_signal();
  void reap_children();
  void reap_unwatched();
  bool try_reap(ProcessHandle handle);
  void finish(ProcessHandle handle, ExitStatus status);
  void report(const HostedProcess& process, const ExitStatus& status, const std::function<void()>& told);
  void leave_terminal(std::unique_ptr<Terminal> terminal, std::function<void()> stored);
  void explain_kill(const HostedProcess& process, ExitStatus& status);

  FdLoop& loop_;
  Log& log_;
  const Orphans orphans_;
  std::optional<DelegatedCgroup> cgroups_;
  rlimit open_files_{};
  std::unique_ptr<LoopWatch> child_signal_;
  std::map<std::string, std::weak_ptr<Cgroup>> shared_cgroups_;  // by name
  std::function<void()> orphan_ended_;

  KeptTerminals* kept_terminals_ = nullptr;
  std::vector<std::unique_ptr<Terminal>> left_terminals_;  // of ended processes whose children may still print

  ProcessTable processes_;
  ProcessSweep sweep_;
  MemoryWatch memory_;
  ExitOrder order_;
};

}  // namespace muster
