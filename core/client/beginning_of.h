// SPDX-License-Identifier: Apache-2.0
// Reads the beginning of a file of unknown content and size, or of standard input.
#pragma once

#include <cstddef>
#include <string>

namespace muster {

// At most the first MiB of the file. Empty if the file is not a regular file or cannot be read.
std::string beginning_of(const std::string& path);

// At most `most` bytes of standard input. Blocks until its end.
std::string beginning_of_stdin(size_t most);

}  // namespace muster
