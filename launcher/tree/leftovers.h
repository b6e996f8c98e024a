// What jobs left in muster's folder on a host: code and its archives, and output that could not be handed over. Blocks; runs there.
#pragma once

#include <string>

namespace muster {

// Below `folder` (launcher/wire/paths.h, host_folder): removes what nobody touched for a week, unless its job runs.
void remove_leftovers(const std::string& folder);

}  // namespace muster
