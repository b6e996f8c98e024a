// SPDX-License-Identifier: Apache-2.0
// The code of a new process between clone and exec: system calls only, on memory that it shares with its waiting
// parent. Nothing here allocates, locks or uses stdio (vfork(2), signal-safety(7)).
#pragma once

#include <sched.h>
#include <sys/types.h>

#include "core/system/linux/process/process_limits.h"

namespace muster {

enum class ChildStep {
  none,
  descriptors,
  session,
  parent_gone,
  cpus,
  limits,
  null_input,
  output,
  error_output,
  terminal,
  container,
  workdir,
  exec
};

// Plain pointers into memory that the parent keeps until the child has executed a program or ended.
struct ChildOrders {
  const char* const* programs = nullptr;  // paths to try in order, null-terminated
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* workdir = nullptr;
  const char* stdout_path = nullptr;
  const char* stderr_path = nullptr;
  int terminal = -1;            // becomes stdin, stdout, stderr and the controlling terminal; -1: no terminal
  int stdio[3] = {-1, -1, -1};  // each above 2: become stdin, stdout and stderr; -1: /dev/null for stdin, and the paths
  int passed = -1;              // above 2: becomes kPassedDescriptor; -1: none
  bool shares_descriptors = false;  // shares the parent's descriptor table until it takes its own
  int mounts = -1;                  // mount namespace to join; -1: none
  int users = -1;                   // user namespace to join; -1: none
  bool own_session = false;
  bool dies_with_parent = false;
  pid_t parent = 0;
  const cpu_set_t* cpus = nullptr;
  size_t cpus_size = 0;
  const ProcessLimit* limits = nullptr;  // `limits_count` limits to set
  size_t limits_count = 0;
  uint64_t ignored_signals = 0;   // bit n - 1: signal n is ignored
  int umask = -1;                 // -1: the parent's
  const int32_t* nice = nullptr;  // null: the parent's

  // Written by the child on failure: the step, errno, and the program that it tried.
  ChildStep failed_step = ChildStep::none;
  int error = 0;
  const char* failed_program = nullptr;
};

// For clone_process; `orders` is a ChildOrders*. Returns only on failure, with every signal still blocked until
// exec.
int run_child(void* orders);

}  // namespace muster
