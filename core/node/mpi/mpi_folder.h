// SPDX-License-Identifier: Apache-2.0
// MpiFolder: the folder of an MPI service for one attempt. It is locked, so that no other process takes it for one that a dead agent
// left. Loop thread only.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class MpiFolder {
 public:
  // `path`: a short path, because sockets are made there.
  explicit MpiFolder(std::string path) : path_(std::move(path)) {}
  ~MpiFolder() { remove(); }
  MpiFolder(const MpiFolder&) = delete;
  MpiFolder& operator=(const MpiFolder&) = delete;

  const std::string& path() const { return path_; }
  // Makes it empty, mode 0700.
  Status make();
  bool made() const { return in_use_.valid(); }
  // Also removes the shared memory that was noted in it (shared_memory_notes.h).
  void remove();

 private:
  const std::string path_;
  UniqueFd in_use_;
};

// Makes an empty folder of mode 0700; what was there is removed. unavailable: with the system's reason.
Status make_empty_folder(const std::string& path);

}  // namespace muster
