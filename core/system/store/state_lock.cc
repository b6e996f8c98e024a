// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

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
  if (const Status made = store::make_folders(root); !made.ok()) return made;
  const std::string path = root + "/lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return store::write_failure(errno, root);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? held_by_another(root) : errno_status(errno, "cannot lock " + path);
  }
  if (const Status written = write_pid(fd.get(), root); !written.ok()) return written;
  return StateLock(std::move(fd));
}

}  // namespace muster
