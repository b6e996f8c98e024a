// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/mpi_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/system/posix/shared_memory_notes.h"

namespace muster {

Status make_empty_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  if (mkdir(path.c_str(), 0700) == 0) return Status();
  return {Code::unavailable, "cannot make the folder " + path + ": " + std::strerror(errno)};
}

Status MpiFolder::make() {
  if (Status made = make_empty_folder(path_); !made.ok()) return made;
  in_use_ = UniqueFd(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  flock(in_use_.get(), LOCK_SH | LOCK_NB);
  return Status();
}

void MpiFolder::remove() {
  if (!made()) return;
  remove_with_shared_memory(path_);
  in_use_.reset();
}

}  // namespace muster
