// LinuxProcessHost: how ends are learned. By pidfd, which is exact and cheap; by SIGCHLD for orphans and where the
// kernel has no pidfd.
#include <signal.h>

#include "core/system/linux/process/core_file.h"
#include "core/system/linux/process/linux_process_host.h"
#include "core/system/linux/process/memory_use.h"
#include "core/system/linux/process/wait_status.h"
#include "core/system/machine/machine_memory.h"

namespace muster {

void LinuxProcessHost::on_child_signal() {
  if (orphans_ == Orphans::adopted) {
    reap_children();
    if (sweep_) sweep_round();
  } else {
    reap_unwatched();
  }
}

// One signal may stand for many ends (signal(7)).
void LinuxProcessHost::reap_children() {
  while (const pid_t pid = peek_ended_child()) {
    const auto handle = handles_.find(pid);
    const bool reaped = handle != handles_.end() ? try_reap(handle->second) : reap_if_ended(pid).has_value();
    if (!reaped) return;
  }
}

// Children of others stay theirs: only pids we know.
void LinuxProcessHost::reap_unwatched() {
  std::vector<ProcessHandle> unwatched;
  for (const auto& [handle, process] : processes_) {
    if (!process.watch && !process.adopted) unwatched.push_back(handle);
  }
  for (const ProcessHandle handle : unwatched) static_cast<void>(try_reap(handle));
}

bool LinuxProcessHost::try_reap(ProcessHandle handle) {
  const Process* process = find(handle);
  if (process == nullptr) return false;
  std::optional<ExitStatus> status = ExitStatus{};
  if (!process->adopted) status = reap_if_ended(static_cast<pid_t>(process->identity.pid));
  if (!status) return false;
  finish(handle, std::move(*status));
  return true;
}

// The handler runs last: it may spawn, signal and sweep.
void LinuxProcessHost::finish(ProcessHandle handle, ExitStatus status) {
  auto entry = processes_.extract(handle);
  Process& process = entry.mapped();
  if (!process.adopted) handles_.erase(static_cast<pid_t>(process.identity.pid));
  if (process.terminal) process.terminal->drain();
  explain_kill(process, status);
  if (process.cgroup) ended_cgroups_.insert(std::move(process.cgroup));
  process.watch.reset();
  process.on_exit(status);
}

// A SIGKILL that we did not send: the kernel's counter of the last seconds tells whether it was for memory.
void LinuxProcessHost::explain_kill(const Process& process, ExitStatus& status) {
  if (status.core_dumped) status.core_file = core_file_of({process.identity.pid, status.signal, process.workdir});
  if (status.kind != ExitStatus::Kind::signalled || status.signal != SIGKILL) return;
  const bool over_limit = !process.excess.empty();
  const bool in_cgroup = process.cgroup && process.cgroup->limits_memory() && process.cgroup->had_oom_kill();
  const bool by_kernel = !process.killed_by_us && oom_count_.read() > oom_kills_before_;
  status.oom = over_limit || in_cgroup || by_kernel;
  if (over_limit) status.detail = process.excess;
  const bool little = !may_matter(status.peak_bytes, usable_memory_bytes());
  if (over_limit || process.killed_by_us || little) status.peak_bytes = 0;
}

}  // namespace muster
