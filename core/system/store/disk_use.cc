// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/disk_use.h"

#include <sys/stat.h>

#include <filesystem>

namespace muster {

uint64_t bytes_below(const std::string& folder, size_t most_files) {
  namespace fs = std::filesystem;
  constexpr uint64_t block = 512;  // unit of st_blocks (stat(2))
  uint64_t bytes = 0;
  size_t seen = 0;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  // Not a range-based for: its ++ throws if an entry is removed meanwhile.
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end && seen < most_files;) {
    struct stat file {};
    if (::lstat(at->path().c_str(), &file) == 0) bytes += static_cast<uint64_t>(file.st_blocks) * block;
    ++seen;
    at.increment(error);
  }
  return bytes;
}

}  // namespace muster
