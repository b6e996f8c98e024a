// Where the threads of a process stand: the system call and the kernel function in which each waits, and the functions of the
// program below it. Nothing is stopped for that: a thread that waits holds still, of one that runs only that is said.
//
// Reading another's memory takes the right to trace it (ptrace(2)): processes of our user that we descend to, mostly. Without it
// the functions are missing. Any thread; may take some hundred milliseconds.
#pragma once

#include <sys/types.h>

#include "core/rank/finding.h"

namespace muster {

RankLocation where_it_stands(pid_t pid);

}  // namespace muster
