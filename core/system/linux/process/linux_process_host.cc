#include "core/system/linux/process/linux_process_host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>

#include "core/system/linux/pidfd.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/memory_use.h"
#include "core/system/linux/process/spawn.h"

namespace muster {
namespace {

constexpr auto kFarewell = std::chrono::seconds(5);

// A descriptor or two per process: the usual 1024 would end near 400 ranks. Ranks get the old limit, since
// select(2) breaks above 1024.
rlimit raise_open_files() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit raised = before;
  raised.rlim_cur = before.rlim_max;
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

Status gone(const ProcessIdentity& identity) {
  return Status(Code::not_found, "process " + std::to_string(identity.pid) + " is not there any more");
}

}  // namespace

LinuxProcessHost::LinuxProcessHost(FdLoop& loop, Log& log, Orphans orphans, std::optional<DelegatedCgroup> cgroup)
    : loop_(loop),
      log_(log),
      orphans_(orphans),
      cgroups_(std::move(cgroup)),
      open_files_(raise_open_files()),
      child_signal_(loop_.watch_signal(SIGCHLD, [this] { on_child_signal(); })) {
  if (orphans_ == Orphans::adopted) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

LinuxProcessHost::~LinuxProcessHost() {
  *alive_ = false;
  loop_.cancel(sweep_timer_);
  loop_.cancel(memory_timer_);
  // A process that was killed a moment ago keeps its cgroup, which goes with us, until it is dead. On a busy machine it has to wait for
  // a CPU to die on, and to give back what it had of memory.
  using Clock = std::chrono::steady_clock;  // the loop's stands still by now
  const Clock::time_point end = Clock::now() + kFarewell;
  for (const auto& [handle, process] : processes_) {
    pollfd ended{process.pidfd.get(), POLLIN, 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::max(end - Clock::now(), Clock::duration(0)));
    if (process.cgroup && process.killed_by_us) poll(&ended, 1, static_cast<int>(left.count()));
  }
}

Result<ProcessHandle> LinuxProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  Process process;
  SpawnSetting setting{.open_files = open_files_};
  if (request.tty) {
    auto terminal = Terminal::open(loop_, log_, request.stdout_path);
    if (!terminal.ok()) return terminal.status();
    process.terminal = std::move(*terminal);
    setting.terminal = process.terminal->process_side();
  }
  process.cgroup = cgroup_of(request);
  if (process.cgroup) setting.cgroup_fd = process.cgroup->fd();
  Result<SpawnedProcess> spawned = spawn_process(request, setting);
  if (!spawned.ok()) return spawned.status();
  if (process.terminal) process.terminal->close_process_side();
  if (!spawned->in_cgroup) process.cgroup.reset();
  process.identity = spawned->identity;
  process.pidfd = std::move(spawned->pidfd);
  process.on_exit = std::move(on_exit);
  process.workdir = request.workdir;
  const bool enforced = process.cgroup && process.cgroup->limits_memory();
  process.watched_limit_bytes = enforced ? 0 : request.memory_limit_bytes;
  return keep(std::move(process));
}

std::shared_ptr<Cgroup> LinuxProcessHost::cgroup_of(const SpawnRequest& request) {
  if (!cgroups_) return nullptr;
  if (request.memory_limit_bytes > 0) return cgroups_->make(request.cgroup_name, request.memory_limit_bytes);
  std::weak_ptr<Cgroup>& known = shared_cgroups_[request.cgroup_name];
  std::shared_ptr<Cgroup> cgroup = known.lock();
  if (!cgroup) cgroup = cgroups_->make(request.cgroup_name, 0);
  known = cgroup;
  return cgroup;
}

Result<ProcessHandle> LinuxProcessHost::spawn_guest(const SpawnRequest& request, const GuestPlace& place,
                                                    ExitHandler on_exit) {
  const Process* beside = find(place.beside);
  SpawnSetting setting{.open_files = open_files_, .terminal = place.terminal, .stdio = place.stdio};
  if (beside != nullptr && beside->cgroup) setting.cgroup_fd = beside->cgroup->fd();
  Result<SpawnedProcess> spawned = spawn_process(request, setting);
  if (!spawned.ok()) return spawned.status();
  Process process;
  process.identity = spawned->identity;
  process.pidfd = std::move(spawned->pidfd);
  process.on_exit = std::move(on_exit);
  process.workdir = request.workdir;
  process.guest = true;
  return keep(std::move(process));
}

Result<ProcessHandle> LinuxProcessHost::take_in(pid_t pid, const SpawnRequest& request, ExitHandler on_exit) {
  Process process;
  process.identity = {pid, start_ticks(pid).value_or(0)};
  process.pidfd = open_pidfd(pid);
  process.cgroup = cgroup_of(request);
  if (process.cgroup && !join_cgroup(process.cgroup->fd(), pid)) process.cgroup.reset();
  process.on_exit = std::move(on_exit);
  process.workdir = request.workdir;
  const bool enforced = process.cgroup && process.cgroup->limits_memory();
  process.watched_limit_bytes = enforced ? 0 : request.memory_limit_bytes;
  return keep(std::move(process));
}

Result<ProcessHandle> LinuxProcessHost::adopt(const ProcessIdentity& identity, ExitHandler on_exit) {
  Process process;
  process.pidfd = open_pidfd(static_cast<pid_t>(identity.pid));
  if (!process.pidfd.valid() && errno == ENOSYS) {
    return Status(Code::unimplemented, "this kernel cannot watch another's child (Linux before 5.3)");
  }
  // After opening: from here on the descriptor means this process, whoever gets its number later.
  const auto ticks = start_ticks(static_cast<pid_t>(identity.pid));
  if (!process.pidfd.valid() || !ticks || *ticks != identity.start_ticks) return gone(identity);
  process.identity = identity;
  process.on_exit = std::move(on_exit);
  process.adopted = true;
  return keep(std::move(process));
}

ProcessIdentity LinuxProcessHost::identity(ProcessHandle process) const {
  const auto found = processes_.find(process);
  return found == processes_.end() ? ProcessIdentity{} : found->second.identity;
}

// An unreaped child keeps its number, and so its group's. Of an adopted process only the descriptor is sure: it is
// asked first, and the group of a process that does not lead one is not touched.
void LinuxProcessHost::signal(ProcessHandle handle, int number) {
  Process* process = find(handle);
  if (process == nullptr) return;
  const pid_t pid = static_cast<pid_t>(process->identity.pid);
  if (process->adopted && !is_alive(process->pidfd)) return;
  process->killed_by_us = process->killed_by_us || number == SIGKILL;
  kill(getpgid(pid) == pid ? -pid : pid, number);
}

void LinuxProcessHost::write_tty(ProcessHandle handle, std::string_view bytes) {
  Process* process = find(handle);
  if (process != nullptr && process->terminal) process->terminal->write(bytes);
}

void LinuxProcessHost::resize_tty(ProcessHandle handle, uint16_t rows, uint16_t columns) {
  Process* process = find(handle);
  if (process != nullptr && process->terminal) process->terminal->resize(rows, columns);
}

ProcessHandle LinuxProcessHost::keep(Process process) {
  const ProcessHandle handle = ++last_handle_;
  const auto ended = [this, handle] { static_cast<void>(try_reap(handle)); };
  if (process.pidfd.valid()) process.watch = loop_.watch_readable(process.pidfd.get(), ended);
  if (!process.adopted) handles_.emplace(process.identity.pid, handle);
  processes_.emplace(handle, std::move(process));
  watch_memory();
  return handle;
}

LinuxProcessHost::Process* LinuxProcessHost::find(ProcessHandle process) {
  const auto found = processes_.find(process);
  return found == processes_.end() ? nullptr : &found->second;
}

}  // namespace muster
