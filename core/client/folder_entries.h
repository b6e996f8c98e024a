// SPDX-License-Identifier: Apache-2.0
// Lists a folder that may change or fail while it is read.
#pragma once

#include <filesystem>
#include <limits>
#include <vector>

namespace muster {

// The entries of a folder, at most `most`, in no order. A folder that is removed meanwhile, or that a network file
// system cannot read on, ends there: a range-based for loop would throw.
inline std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                                     size_t most = std::numeric_limits<size_t>::max()) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (entries.size() == most) break;
    entries.push_back(each->path());
  }
  return entries;
}

}  // namespace muster
