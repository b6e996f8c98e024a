// SharedFolder: a folder in /tmp that all users of a machine share, as safely as /tmp itself allows: sticky, no
// links followed, lock files that any user may open. Somebody hostile can keep others from working with it, not
// make them write elsewhere. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// A lock on a name, held until the object goes or the process dies (flock(2)). The file goes with it when it is
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
  const int folder_;  // the SharedFolder's, which lives longer
  const std::string name_;
  const UniqueFd file_;
};

class SharedFolder {
 public:
  // Makes it with mode 1777. failed_precondition when the path is a link, no folder, or not sticky and writable by
  // all.
  static Result<std::unique_ptr<SharedFolder>> open(const std::string& path);

  // Null when another process, or another lock of ours, holds it. Errors: what the system says.
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& name);

  // Whether somebody, perhaps we, holds the lock of that name.
  bool is_locked(const std::string& name) const;

  // A file that all may read and only we write, locked; its name, of ours alone, appears once the text is in it.
  Result<std::unique_ptr<FileLock>> publish(const std::string& name, const std::string& text);

  // What is published under names that begin so, by whoever still holds it. At most 4,096 of 64 KiB.
  struct Notice {
    std::string text;
    uint32_t uid = 0;  // of its owner
  };
  std::vector<Notice> notices(const std::string& prefix) const;

  // Removes what processes of this user that were killed left under names that begin so.
  void sweep(const std::string& prefix) const;

  // Who wrote itself into the file: the holder, if there is one now.
  std::optional<int64_t> holder(const std::string& name) const;

 private:
  std::optional<Notice> notice(const std::string& name) const;
  std::vector<std::string> names(const std::string& prefix) const;

  explicit SharedFolder(UniqueFd folder) : folder_(std::move(folder)) {}

  const UniqueFd folder_;
};

}  // namespace muster
