#include "core/system/linux/pidfd.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace muster {

// Straight calls: glibc 2.36 wraps them, older ones that a dynamic build may meet do not.
UniqueFd open_pidfd(pid_t pid) { return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

bool is_alive(const UniqueFd& pidfd) { return syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0) == 0; }

void signal_pidfd(const UniqueFd& pidfd, int number) {
  syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0);
}

}  // namespace muster
