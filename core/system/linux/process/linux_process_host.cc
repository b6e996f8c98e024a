// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/linux_process_host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/pidfd.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/core_file.h"
#include "core/system/linux/process/shell_programs.h"
#include "core/system/linux/process/spawn.h"
#include "core/system/linux/process/wait_status.h"
#include "core/system/machine/machine_memory.h"

namespace muster {
namespace {

constexpr auto kShutdownDelay = std::chrono::seconds(5);

// A process takes one or two descriptors, so the usual limit of 1024 would end near 400 ranks. Ranks get the old limit,
// because select(2) breaks above 1024.
rlimit raise_open_files() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit raised = before;
  raised.rlim_cur = before.rlim_max;
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

std::string line_of(const std::string& sentence) { return sentence.empty() ? "" : sentence + "\n"; }

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
      child_signal_(loop_.watch_signal(SIGCHLD, [this] { on_child_signal(); })),
      sweep_(loop, log, processes_, orphans == Orphans::adopted),
      memory_(loop, processes_, cgroups_ ? cgroups_->folder() : cgroup_v2_folder().value_or("")),
      order_(loop, [this](pid_t pid) { return hosts(pid) && has_begun_to_exit(pid); }) {
  if (orphans_ == Orphans::adopted) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

LinuxProcessHost::~LinuxProcessHost() {
  // The cgroup of a process that was just killed stays until the process has ended. On a busy machine the process waits
  // for a CPU, and then frees its memory.
  using Clock = std::chrono::steady_clock;  // the loop's clock no longer advances
  const Clock::time_point end = Clock::now() + kShutdownDelay;
  for (const auto& [handle, process] : processes_.all()) {
    pollfd ended{process.pidfd.get(), POLLIN, 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::max(end - Clock::now(), Clock::duration(0)));
    if (process.cgroup && process.killed_by_us) poll(&ended, 1, static_cast<int>(left.count()));
  }
}

Result<ProcessHandle> LinuxProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  HostedProcess process;
  auto streams = open_streams(request);
  if (!streams.ok()) return streams.status();
  SpawnSetting setting{.open_files = open_files_, .terminal = streams->controlling(), .stdio = streams->stdio()};
  process.cgroup = cgroup_of(request);
  if (process.cgroup) setting.cgroup_fd = process.cgroup->fd();
  Result<SpawnedProcess> spawned = spawn_process(request, setting);
  if (!spawned.ok()) return spawned.status();
  process.terminal = streams->take_terminal();
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
  return shared_cgroup_of(request);
}

std::shared_ptr<Cgroup> LinuxProcessHost::shared_cgroup_of(const SpawnRequest& request) {
  if (!cgroups_ || request.cgroup_name.empty()) return nullptr;
  std::weak_ptr<Cgroup>& known = shared_cgroups_[request.cgroup_name];
  std::shared_ptr<Cgroup> cgroup = known.lock();
  if (!cgroup) cgroup = cgroups_->make(request.cgroup_name, request.memory_limit_bytes);
  known = cgroup;
  return cgroup;
}

Result<ProcessHandle> LinuxProcessHost::spawn_exec(const SpawnRequest& request, const ExecPlace& place,
                                                   ExitHandler on_exit) {
  const HostedProcess* beside = processes_.find(place.beside);
  SpawnSetting setting{.open_files = open_files_, .terminal = place.terminal, .stdio = place.stdio};
  HostedProcess process;
  if (place.beside == 0) process.cgroup = shared_cgroup_of(request);
  const std::shared_ptr<Cgroup> cgroup = beside == nullptr ? process.cgroup : beside->cgroup;
  if (cgroup) setting.cgroup_fd = cgroup->fd();
  Result<SpawnedProcess> spawned = spawn_process(request, setting);
  if (!spawned.ok()) return spawned.status();
  if (!spawned->in_cgroup) process.cgroup.reset();
  process.identity = spawned->identity;
  process.pidfd = std::move(spawned->pidfd);
  process.on_exit = std::move(on_exit);
  process.workdir = request.workdir;
  process.exec = true;
  return keep(std::move(process));
}

Result<ProcessHandle> LinuxProcessHost::take_in(pid_t pid, const SpawnRequest& request,
                                                std::unique_ptr<Terminal> terminal, ExitHandler on_exit) {
  HostedProcess process;
  process.terminal = std::move(terminal);
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
  HostedProcess process;
  process.pidfd = open_pidfd(static_cast<pid_t>(identity.pid));
  if (!process.pidfd.valid() && errno == ENOSYS) {
    return Status(Code::unimplemented, "this kernel cannot watch another's child (Linux before 5.3)");
  }
  // Checked after opening: from here on the descriptor refers to this process, even if its pid is reused.
  const auto ticks = start_ticks(static_cast<pid_t>(identity.pid));
  if (!process.pidfd.valid() || !ticks || *ticks != identity.start_ticks) return gone(identity);
  process.identity = identity;
  process.on_exit = std::move(on_exit);
  process.adopted = true;
  return keep(std::move(process));
}

ProcessIdentity LinuxProcessHost::identity(ProcessHandle process) const {
  const HostedProcess* found = processes_.find(process);
  return found == nullptr ? ProcessIdentity{} : found->identity;
}

// An unreaped child keeps its pid, and so its group's id. For an adopted process only the descriptor is reliable: it is checked
// first. If the process does not lead its group, the group is not signalled.
void LinuxProcessHost::signal(ProcessHandle handle, int number, SignalReach reach) {
  HostedProcess* process = processes_.find(handle);
  if (process == nullptr) return;
  const pid_t pid = process->pid();
  if (process->adopted && !is_alive(process->pidfd)) return;
  process->killed_by_us = process->killed_by_us || number == SIGKILL;
  process->signalled_by_us = true;
  // First the shell: it must know of the signal when its program ends because of it.
  std::vector<pid_t> programs;
  if (reach == SignalReach::process && number != SIGKILL) programs = programs_of_shell(pid, number);
  kill(reach == SignalReach::group && getpgid(pid) == pid ? -pid : pid, number);
  for (const pid_t program : programs) kill(program, number);
}

void LinuxProcessHost::write_tty(ProcessHandle handle, std::string_view bytes) {
  HostedProcess* process = processes_.find(handle);
  if (process != nullptr && process->terminal) process->terminal->write(bytes);
}

void LinuxProcessHost::resize_tty(ProcessHandle handle, uint16_t rows, uint16_t columns) {
  HostedProcess* process = processes_.find(handle);
  if (process != nullptr && process->terminal) process->terminal->resize(rows, columns);
}

void LinuxProcessHost::sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done) {
  sweep_.sweep(spared, std::move(done));
}

void LinuxProcessHost::end_marked(const std::vector<std::string>& marks, std::function<void()> done) {
  sweep_.end_marked(marks, std::move(done));
}

ProcessHandle LinuxProcessHost::keep(HostedProcess process) {
  const ProcessHandle handle = processes_.add(std::move(process));
  HostedProcess& kept = *processes_.find(handle);
  const auto ended = [this, handle] { static_cast<void>(try_reap(handle)); };
  if (kept.pidfd.valid()) kept.watch = loop_.watch_readable(kept.pidfd.get(), ended);
  memory_.begin();
  return handle;
}

// --- Exits: by pidfd, which is exact and cheap. By SIGCHLD for orphans, and for all processes if the kernel has no pidfd.

void LinuxProcessHost::on_child_signal() {
  if (orphans_ == Orphans::adopted) {
    reap_children();
    sweep_.child_ended();
    if (orphan_ended_) orphan_ended_();
  } else {
    reap_unwatched();
  }
}

// One SIGCHLD may stand for several exits (signal(7)).
void LinuxProcessHost::reap_children() {
  while (const pid_t pid = peek_ended_child()) {
    const std::optional<ProcessHandle> child = processes_.child(pid);
    const bool reaped = child ? try_reap(*child) : reap_if_ended(pid).has_value();
    if (!reaped) return;
  }
}

// Reaps only pids of the table: other parts of this process reap their own children.
void LinuxProcessHost::reap_unwatched() {
  std::vector<ProcessHandle> unwatched;
  for (const auto& [handle, process] : processes_.all()) {
    if (!process.watch && !process.adopted) unwatched.push_back(handle);
  }
  for (const ProcessHandle handle : unwatched) static_cast<void>(try_reap(handle));
}

bool LinuxProcessHost::try_reap(ProcessHandle handle) {
  const HostedProcess* process = processes_.find(handle);
  if (process == nullptr) return false;
  std::optional<ExitStatus> status = ExitStatus{};
  if (!process->adopted) status = reap_if_ended(process->pid());
  if (!status) return false;
  finish(handle, std::move(*status));
  return true;
}

// Calls the handler last: it may spawn, signal and sweep. If the last output waits on a full disk, it is called later.
void LinuxProcessHost::finish(ProcessHandle handle, ExitStatus status) {
  HostedProcess process = processes_.take(handle);
  explain_kill(process, status);
  if (process.cgroup) sweep_.add_ended(std::move(process.cgroup));
  process.watch.reset();
  const auto told = [on_exit = std::move(process.on_exit), status] { on_exit(status); };
  if (process.terminal) return leave_terminal(std::move(process.terminal), told);
  report(process, status, told);
}

void LinuxProcessHost::report(const HostedProcess& process, const ExitStatus& status,
                              const std::function<void()>& told) {
  std::vector<pid_t> others;
  if (!status.success() && !process.signalled_by_us && !process.exec) {
    for (const auto& [handle, other] : processes_.all()) {
      if (!other.adopted && !other.exec) others.push_back(other.pid());
    }
  }
  order_.report_after(std::move(others), told);
}

// A child of the process that prints later must not fail (EIO), and its output is kept.
void LinuxProcessHost::leave_terminal(std::unique_ptr<Terminal> terminal, std::function<void()> stored) {
  terminal->drain();
  std::erase_if(left_terminals_, [](const auto& left) { return left->ended(); });
  const bool waits = terminal->waits();
  if (waits) terminal->when_stored(stored);
  if (!terminal->ended()) left_terminals_.push_back(std::move(terminal));
  if (!waits) stored();
}

// For a SIGKILL that we did not send: what the kernel tells about the last seconds.
void LinuxProcessHost::explain_kill(const HostedProcess& process, ExitStatus& status) {
  if (status.core_dumped) status.core_file = core_file_of({process.identity.pid, status.signal, process.workdir});
  const bool killed = status.kind == ExitStatus::Kind::signalled && status.signal == SIGKILL;
  if (!killed) {
    if (!status.success()) status.trace = line_of(note_on_others(memory_.facts()));
    return;
  }
  const bool over_limit = !process.excess.empty();
  const bool in_cgroup = process.cgroup && process.cgroup->limits_memory() && process.cgroup->had_oom_kill();
  status.oom = over_limit || in_cgroup;
  if (!status.oom && !process.killed_by_us && !process.adopted) {
    const OomVerdict verdict = judge_kill(memory_.facts(), process.identity.pid);
    status.oom = verdict.oom;
    status.trace = line_of(verdict.note);
  }
  if (over_limit) status.detail = process.excess;
  const bool little = !may_matter(status.peak_bytes, usable_memory_bytes());
  if (over_limit || process.killed_by_us || little) status.peak_bytes = 0;
}

}  // namespace muster
