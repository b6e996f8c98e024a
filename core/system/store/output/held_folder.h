// SPDX-License-Identifier: Apache-2.0
// HeldFolder: keeps the folder of the last file open. The files of jobs are deep in the tree, and resolving the path takes
// most of the time of a stat. Used only in core/system/store.
#pragma once

#include <cstdint>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster::store {

class HeldFolder {
 public:
  // Size of the file that has this name now; 0: there is none. Does not follow links.
  uint64_t file_size(const std::string& path);

 private:
  std::string name_;
  UniqueFd fd_;
};

}  // namespace muster::store
