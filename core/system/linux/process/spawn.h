// SPDX-License-Identifier: Apache-2.0
// spawn_process: starts one process from a SpawnRequest, in its own group, without our descriptors, signal settings and
// limits (docs/design/agent.md). It keeps no record of the process: LinuxProcessHost does.
#pragma once

#include <sys/resource.h>

#include <array>

#include "core/base/result.h"
#include "core/port/process_host.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct SpawnedProcess {
  ProcessIdentity identity;
  UniqueFd pidfd;  // not valid if the kernel has no pidfds
  bool in_cgroup = false;
};

struct SpawnSetting {
  rlimit open_files{};                   // for a request without such a limit; ours may have been raised
  int terminal = -1;                     // above 2: becomes its stdin, stdout and stderr
  std::array<int, 3> stdio{-1, -1, -1};  // each above 2: become its stdin, stdout, stderr; -1: as the request says
  bool sibling = false;                  // becomes a child of our parent, which reaps it; without dies_with_us
  int cgroup_fd = -1;                    // folder of the cgroup v2 in which it starts, if the kernel allows it
};

// Errors as ProcessHost::spawn. With PR_SET_PDEATHSIG the process ends with the *thread* that calls this (prctl(2)): call
// it from a thread that lives as long as the process.
Result<SpawnedProcess> spawn_process(const SpawnRequest& request, const SpawnSetting& setting);

// Moves a process to the cgroup whose folder is open as `cgroup_fd`.
bool join_cgroup(int cgroup_fd, pid_t pid);

}  // namespace muster
