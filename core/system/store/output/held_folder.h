// HeldFolder: the folder whose files were asked for last, held open: those of jobs lie deep, and to walk down to them is most of what a
// look at a file costs. Part of adapter/store.
#pragma once

#include <cstdint>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster::store {

class HeldFolder {
 public:
  // Bytes of the file that has the name now; 0: none has. Not of what a link leads to.
  uint64_t file_size(const std::string& path);

 private:
  std::string name_;
  UniqueFd fd_;
};

}  // namespace muster::store
