// SPDX-License-Identifier: Apache-2.0
// pidfd: the few system calls on process descriptors (pidfd_open(2)). Any thread.
#pragma once

#include <sys/types.h>

#include "core/system/posix/unique_fd.h"

namespace muster {

// Close-on-exec. Not valid, with errno set: ESRCH: no such process; ENOSYS: Linux before 5.3.
UniqueFd open_pidfd(pid_t pid);

// True if the process exists. A reaped process does not; a zombie does.
bool is_alive(const UniqueFd& pidfd);

// Does nothing if the process has ended or we may not signal it.
void signal_pidfd(const UniqueFd& pidfd, int number);

}  // namespace muster
