// pidfd: the few system calls on process descriptors (pidfd_open(2)). Any thread.
#pragma once

#include <sys/types.h>

#include "core/system/posix/unique_fd.h"

namespace muster {

// Close-on-exec. Invalid with errno set: ESRCH no such process, ENOSYS before Linux 5.3.
UniqueFd open_pidfd(pid_t pid);

// Whether the process is there and no zombie that was reaped since.
bool is_alive(const UniqueFd& pidfd);

// Nothing happens when it is gone or not ours to signal.
void signal_pidfd(const UniqueFd& pidfd, int number);

}  // namespace muster
