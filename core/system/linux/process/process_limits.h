// ProcessSettings and the kernel: reading our own, and what of them a child must be given. Any thread, but
// own_settings.
#pragma once

#include <sys/resource.h>

#include <vector>

#include "core/job/process_settings.h"

namespace muster {

// Those of this process. Reads the umask by changing it for a moment (umask(2)): before any thread is started, and
// before muster raises a limit.
ProcessSettings own_settings();

// What children of this process can have at most, by name: hard limits as in ProcessSettings, and `priority`, 20 -
// niceness.
std::map<std::string, uint64_t> own_means();

// Whatever shell started us: on every CPU that our cpuset has (sched_setaffinity(2) leaves out the others). For a
// process that starts others'.
void use_all_cpus();

struct ProcessLimit {
  __rlimit_resource resource = RLIMIT_NOFILE;
  rlimit value{};
};

// What a child of this process must set to have `settings`; without the limits it has anyway. `open_files`: its limit
// when `settings` names none. Soft limits are cut to our hard ones; names that are none of ours are left out.
std::vector<ProcessLimit> limits_of_child(const ProcessSettings& settings, rlim_t open_files);

}  // namespace muster
