// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/wait_status.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster {
namespace {

// Direct system call: glibc's waitid(3) does not return the resource usage.
int wait_for(idtype_t type, pid_t pid, int options, siginfo_t& info, rusage* used = nullptr) {
  long result = 0;
  do {
    info = {};
    result = syscall(SYS_waitid, type, pid, &info, options, used);
  } while (result != 0 && errno == EINTR);
  return static_cast<int>(result);
}

constexpr uint64_t kKib = 1024;

uint64_t peak_bytes_of(const rusage& used) {
  rusage ours{};
  getrusage(RUSAGE_SELF, &ours);
  return used.ru_maxrss > ours.ru_maxrss ? static_cast<uint64_t>(used.ru_maxrss) * kKib : 0;
}

}  // namespace

ExitStatus exit_status_of(const siginfo_t& info) {
  ExitStatus status;
  if (info.si_code == CLD_EXITED) {
    status.code = info.si_status;
    return status;
  }
  status.kind = ExitStatus::Kind::signalled;
  status.signal = info.si_status;
  status.core_dumped = info.si_code == CLD_DUMPED;
  return status;
}

std::optional<ExitStatus> reap_if_ended(pid_t pid) {
  siginfo_t info{};
  rusage used{};
  if (wait_for(P_PID, pid, WEXITED | WNOHANG, info, &used) != 0) return ExitStatus{};
  if (info.si_pid == 0) return std::nullopt;
  ExitStatus status = exit_status_of(info);
  if (status.signal == SIGKILL) status.peak_bytes = peak_bytes_of(used);
  return status;
}

bool has_children() {
  siginfo_t info{};
  return wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT | __WALL, info) == 0 || errno != ECHILD;
}

pid_t peek_ended_child() {
  siginfo_t info{};
  return wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT, info) == 0 ? info.si_pid : 0;
}

}  // namespace muster
