// SPDX-License-Identifier: Apache-2.0
// The exit code of a helper program, from the status that waitpid(2) gives. That of a rank: shell_code in
// core/job/exit_status.h.
#pragma once

#include <sys/wait.h>

namespace muster {

// 128 + signal for a program that a signal ended (POSIX sh, 2.8.2).
inline int shell_code(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace muster
