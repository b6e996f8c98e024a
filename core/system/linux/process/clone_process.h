// SPDX-License-Identifier: Apache-2.0
// clone_process: starts a child that shares our memory until it executes a program or ends. This thread waits meanwhile, as
// with vfork(2), but the child has its own stack. It is not a fork: the child must not allocate, lock or touch anything except
// its argument.
#pragma once

#include <sys/types.h>

#include "core/system/posix/unique_fd.h"

namespace muster {

struct ClonedProcess {
  pid_t pid = -1;  // -1: the kernel refused; `error` has the errno
  int error = 0;
  UniqueFd pidfd;  // invalid on kernels without pidfd_open (before 5.3)
};

// Runs child(argument) in the new process; its return value is the exit code. `cgroup_fd`: folder of the cgroup v2 in which
// it starts, or -1. `shares_descriptors`: the child shares our descriptor table until it takes its own, which it must do first
// (close_descriptors.h). `sibling`: it becomes a child of our parent, which reaps it (CLONE_PARENT). The caller must block signals.
// Returns when the child has executed a program or ended. Any thread.
ClonedProcess clone_process(int (*child)(void*), void* argument, int cgroup_fd, bool shares_descriptors = false,
                            bool sibling = false);

// The same without clone3(2) and without a cgroup, for kernels and seccomp filters that refuse clone3. clone_process falls
// back to it if no cgroup is requested.
ClonedProcess clone_process_before_clone3(int (*child)(void*), void* argument);

}  // namespace muster
