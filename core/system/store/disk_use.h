// What a folder takes on disk. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace muster {

// Bytes of the blocks of everything below `folder`, at most `most_files` of them: holes take none, links are not
// followed, and what vanishes meanwhile or may not be read counts as nothing.
uint64_t bytes_below(const std::string& folder, size_t most_files = std::numeric_limits<size_t>::max());

}  // namespace muster
