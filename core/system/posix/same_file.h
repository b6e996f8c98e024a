// SPDX-License-Identifier: Apache-2.0
// Notices that another process has deleted or replaced a file that is open here. Any thread.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster {

// Whether `path` still leads to the open file. `flags` and `folder`: those of fstatat(2).
inline bool is_still(const UniqueFd& file, const std::string& path, int flags = 0, int folder = AT_FDCWD) {
  struct stat opened {};
  struct stat named {};
  return file.valid() && fstat(file.get(), &opened) == 0 && fstatat(folder, path.c_str(), &named, flags) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace muster
