// What jobs left in muster's folder on a host: code and its archives, and output that could not be handed over. Blocks; runs there.
#pragma once

#include <string>

namespace muster {

// Below `folder` (launcher/wire/paths.h, host_folder): removes archives that no job used for a week, and what a job left, its
// results among it, once nothing of that was written for a month and no agent of the job lives (their links lie in `runtime`).
void remove_leftovers(const std::string& folder, const std::string& runtime);

}  // namespace muster
