// The beginning of a file that somebody else wrote, for a look into it.
#pragma once

#include <string>

namespace muster {

// At most the first MiB; empty for what is no regular file or cannot be read.
std::string beginning_of(const std::string& path);

}  // namespace muster
