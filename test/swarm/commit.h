// The commit that a source tree stands at: a seed means a story only together with it.
#pragma once

#include <string>

namespace muster::sim {

// "" where there is none to be read.
std::string commit_of(const std::string& source_folder);

}  // namespace muster::sim
