// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/held_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>

#include "core/system/store/output/output_extent.h"

namespace muster::store {

uint64_t HeldFolder::file_size(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return store::file_size(path);
  const std::string_view folder = std::string_view(path).substr(0, slash);
  struct stat found {};
  const auto is_there = [&] {
    return ::fstatat(fd_.get(), path.c_str() + slash + 1, &found, AT_SYMLINK_NOFOLLOW) == 0;
  };
  if (name_ == folder && is_there()) return static_cast<uint64_t>(found.st_size);
  // Another folder, or one that was removed and created again.
  name_ = folder;
  fd_ = UniqueFd(::open(name_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return is_there() ? static_cast<uint64_t>(found.st_size) : 0;
}

}  // namespace muster::store
