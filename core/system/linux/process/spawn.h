// spawn_process: one new process from a SpawnRequest, in its own group, clean of our descriptors, signals and
// limits (docs/design/agent.md). Not a record of it: LinuxProcessHost keeps those.
#pragma once

#include <sys/resource.h>

#include <array>

#include "core/base/result.h"
#include "core/port/process_host.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct SpawnedProcess {
  ProcessIdentity identity;
  UniqueFd pidfd;  // invalid where the kernel has none
  bool in_cgroup = false;
};

struct SpawnSetting {
  rlimit open_files{};                   // what the process gets if it asks for nothing else; ours may have been raised
  int terminal = -1;                     // above 2: becomes its stdin, stdout, stderr
  std::array<int, 3> stdio{-1, -1, -1};  // each above 2: become its stdin, stdout, stderr; -1: as the request says
  int cgroup_fd = -1;                    // folder of a cgroup v2 it starts in, if the kernel lets it
};

// Errors as ProcessHost::spawn. With PR_SET_PDEATHSIG it dies with the *thread* that calls this (prctl(2)): call
// it from the one that lives as long as the process.
Result<SpawnedProcess> spawn_process(const SpawnRequest& request, const SpawnSetting& setting);

// Moves a process to the cgroup whose folder `cgroup_fd` is.
bool join_cgroup(int cgroup_fd, pid_t pid);

}  // namespace muster
