// SPDX-License-Identifier: Apache-2.0
// Locations of the threads of a process: for each, the system call and the kernel function in which it waits, and the functions of the
// program that led there. The process is not stopped: the stack of a waiting thread does not change, and a running thread is only
// shown as running.
//
// To read another process's memory, this process needs the right to trace it (ptrace(2)): usually it has it for its descendants of
// the same user. Otherwise the functions are missing. Any thread; may take some hundred milliseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/rank/finding.h"

namespace muster {

// The process's first thread is the first in the stack.
RankLocation locate_threads(pid_t pid);

// The call in which a thread of such a stack is: "futex (futex_do_wait)". Empty: the stack has no such thread.
std::string call_of_thread(const std::string& stack, int64_t thread);

}  // namespace muster
