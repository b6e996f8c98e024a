// SPDX-License-Identifier: Apache-2.0
// The folder in which a job's ranks start, as this machine and the job's hosts name it.
#pragma once

#include <string>

#include "core/client/caller_context.h"

namespace muster {

// The absolute path of `workdir`. A relative one is below `base`, which is relative to the current folder ("": that folder itself).
// A path through links, as a home folder of an automounter has, begins as the shell's $PWD does: hosts may not have the folder that
// the links lead to here. Looks at folders of this machine.
std::string job_folder(const std::string& base, const std::string& workdir, const CallerContext& caller);

}  // namespace muster
