// SPDX-License-Identifier: Apache-2.0
// Reads the ProcessSettings of this process, and computes which of them a child must set. Any thread, except
// own_settings.
#pragma once

#include <sys/resource.h>

#include <vector>

#include "core/base/result.h"
#include "core/job/process_settings.h"

namespace muster {

// The settings of this process. Reads the umask by changing it for a moment (umask(2)), so call it before any thread is started and
// before muster raises a limit.
ProcessSettings own_settings();

// The largest settings that children of this process can have, by name: hard limits as in ProcessSettings, and `priority` = 20 -
// niceness.
std::map<std::string, uint64_t> own_means();

// Allows this process to run on every CPU of its cpuset, whatever shell started it (sched_setaffinity(2) ignores other CPUs). For a
// process that starts other users' processes.
void use_all_cpus();

// Raises the soft limits of this process to its hard limits, except those of core files and stacks. For a process that serves later
// commands too: the limits of the shell that started it do not apply to them.
void raise_soft_limits();

// resource_exhausted: a controller needs more than the limits of this process allow. The message names the limit and how to raise it.
Status has_room_for_controller();

struct ProcessLimit {
  __rlimit_resource resource = RLIMIT_NOFILE;
  rlimit value{};
};

// The limits that a child of this process must set to have `settings`, without those that it inherits. `open_files`: used
// if `settings` has no such limit. Soft limits are reduced to our hard limits; unknown names are ignored.
std::vector<ProcessLimit> limits_of_child(const ProcessSettings& settings, rlim_t open_files);

}  // namespace muster
