#include "core/adapter/linux/wait_status.h"

#include <errno.h>
#include <sys/wait.h>

namespace muster {
namespace {

int wait_for(idtype_t type, pid_t pid, int options, siginfo_t& info) {
  int result = 0;
  do {
    info = {};
    result = waitid(type, static_cast<id_t>(pid), &info, options);
  } while (result != 0 && errno == EINTR);
  return result;
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
  if (wait_for(P_PID, pid, WEXITED | WNOHANG, info) != 0) return ExitStatus{};
  if (info.si_pid == 0) return std::nullopt;
  return exit_status_of(info);
}

pid_t peek_ended_child() {
  siginfo_t info{};
  return wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT, info) == 0 ? info.si_pid : 0;
}

}  // namespace muster
