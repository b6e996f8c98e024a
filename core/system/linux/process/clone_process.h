// clone_process: a child that shares our memory until it executes a program or ends, while this thread waits, as
// with vfork(2), but on a stack of its own. Not a fork: the child may not allocate, lock or touch anything but
// what it was given.
#pragma once

#include <sys/types.h>

#include "core/system/posix/unique_fd.h"

namespace muster {

struct ClonedProcess {
  pid_t pid = -1;  // -1: refused, and `error` says why
  int error = 0;
  UniqueFd pidfd;  // invalid on kernels without pidfd_open (before 5.3)
};

// Runs child(argument) in the new process; what it returns is its exit code. `cgroup_fd`: a cgroup v2 folder it
// starts in, or -1. `shares_descriptors`: they are the child's too until it takes a table of its own, which it does first
// (close_descriptors.h). The caller blocks signals around it. Any thread; the call lasts until the child has executed or
// ended.
ClonedProcess clone_process(int (*child)(void*), void* argument, int cgroup_fd, bool shares_descriptors = false);

// The same without clone3(2) and its cgroup, for kernels and seccomp filters that refuse it. clone_process falls
// back to it by itself when no cgroup is asked for.
ClonedProcess clone_process_before_clone3(int (*child)(void*), void* argument);

}  // namespace muster
