// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/posix/same_file.h"
#include "core/system/store/files.h"

namespace muster {
namespace {

constexpr uint64_t kPidBytes = 64;

Status held_by_another(const std::string& root) {
  const std::string pid = lock_holder(root);
  return Status(Code::failed_precondition,
                "another controller" + (pid.empty() ? "" : " (pid " + pid + ")") + " already serves " + root);
}

Status write_pid(int fd, const std::string& root) {
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0) return store::write_failure(errno, root);
  if (::pwrite(fd, text.data(), text.size(), 0) < 0) return store::write_failure(errno, root);
  return Status();
}

}  // namespace

std::string lock_holder(const std::string& root) {
  const Result<std::string> text = store::read_file(root + "/lock", kPidBytes);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

Result<StateLock> StateLock::take(const std::string& root) {
  StateLock lock(root);
  Status taken = lock.lock_folder();
  if (taken.ok()) taken = lock.lock_file();
  return taken.ok() ? Result<StateLock>(std::move(lock)) : taken;
}

Status StateLock::renew() {
  if (!is_still(folder_, root_)) {
    if (const Status taken = lock_folder(); !taken.ok()) return taken;
  }
  return is_still(file_, root_ + "/lock") ? Status() : lock_file();
}

Status StateLock::lock_folder() {
  if (const Status made = store::make_folders(root_); !made.ok()) return made;
  UniqueFd folder(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return errno_status(errno, root_);
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return held_by_another(root_);
  folder_ = std::move(folder);
  return Status();
}

Status StateLock::lock_file() {
  const std::string path = root_ + "/lock";
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return store::write_failure(errno, root_);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? held_by_another(root_) : errno_status(errno, "cannot lock " + path);
  }
  if (const Status written = write_pid(file.get(), root_); !written.ok()) return written;
  file_ = std::move(file);
  return Status();
}

}  // namespace muster
