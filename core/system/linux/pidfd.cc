// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/pidfd.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace muster {

// Direct system calls: only glibc 2.36 and later wraps them, and a dynamic build may meet an older one.
UniqueFd open_pidfd(pid_t pid) { return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

bool is_alive(const UniqueFd& pidfd) { return syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0) == 0; }

void signal_pidfd(const UniqueFd& pidfd, int number) {
  syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0);
}

}  // namespace muster
