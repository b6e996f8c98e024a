// What jobs left in muster's folder on a host: code and its archives, what was set up for them, and output that could not be handed
// over. Blocks; runs there.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Below `folder` (core/client/connect/paths.h, host_folder): removes archives that no job used for a week, what was set up and no job used for
// three months, and what a job left, its
// results among it, once nothing of that was written for a month and no agent of the job lives (their links lie in `runtime`).
void remove_leftovers(const std::string& folder, const std::string& runtime);

// Removes all that muster keeps below `folder`, builds of it included; what else lies there stays, and the folder with it.
// failed_precondition: agents of jobs live.
Status forget_host(const std::string& folder, const std::string& runtime);

}  // namespace muster
