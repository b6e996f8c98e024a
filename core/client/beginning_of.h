// SPDX-License-Identifier: Apache-2.0
// Reads the beginning of a file of unknown content and size.
#pragma once

#include <string>

namespace muster {

// At most the first MiB of the file. Empty if the file is not a regular file or cannot be read.
std::string beginning_of(const std::string& path);

}  // namespace muster
