// SPDX-License-Identifier: Apache-2.0
// SharedFolder: a folder in /tmp that all users of a machine share, as safely as /tmp allows: sticky, no links followed,
// lock files that any user may open. A hostile user can keep others from using it, but cannot make them write
// elsewhere. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// A lock on a name. Held until the object is destroyed or the process ends (flock(2)). Then the file is removed if it is
// ours.
class FileLock {
 public:
  FileLock(int folder, std::string name, UniqueFd file)
      : folder_(folder),
        name_(std::move(name)),
        file_(std::move(file)) {}
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  const int folder_;  // owned by the SharedFolder, which outlives this lock
  const std::string name_;
  const UniqueFd file_;
};

class SharedFolder {
 public:
  // Makes it with mode 1777. failed_precondition: the path is a link, not a folder, or not sticky and writable by
  // all.
  static Result<std::unique_ptr<SharedFolder>> open(const std::string& path);

  // Null: another process, or another lock of this process, holds it. Errors: of the system calls.
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name);

  // Whether a process, this one included, holds the lock with this name.
  bool is_locked(const std::string& name) const;

  // Publishes a locked file that all users may read and only we may write. Its name must be unique; it appears once the text is complete.
  Result<std::unique_ptr<FileLock>> publish(const std::string& name, const std::string& text);

  // The published files whose names begin with `prefix` and whose publishers still hold them. At most 4,096 files of 64 KiB.
  struct Notice {
    std::string text;
    uint32_t uid = 0;  // of its owner
  };
  std::vector<Notice> notices(const std::string& prefix) const;

  // Removes the files with this prefix that killed processes of this user left.
  void sweep(const std::string& prefix) const;

  // The process that signed the file: the holder, if there is one.
  std::optional<int64_t> holder(const std::string& name) const;

 private:
  std::optional<Notice> notice(const std::string& name) const;
  std::vector<std::string> names(const std::string& prefix) const;

  explicit SharedFolder(UniqueFd folder) : folder_(std::move(folder)) {}

  const UniqueFd folder_;
};

}  // namespace muster
