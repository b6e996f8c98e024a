// SPDX-License-Identifier: Apache-2.0
// The disk usage of a folder. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace muster {

// Allocated bytes of all files and folders below `folder`; counts at most `most_files` of them. Holes count as 0, links
// are not followed, and entries that are removed meanwhile or not readable are ignored.
uint64_t bytes_below(const std::string& folder, size_t most_files = std::numeric_limits<size_t>::max());

}  // namespace muster
