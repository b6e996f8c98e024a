// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/private_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/posix/unique_fd.h"
#include "core/system/posix/write_failure.h"

namespace muster {
namespace {

Status write_whole(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return write_failure(errno, path.substr(0, path.rfind('/')));
    text.remove_prefix(static_cast<size_t>(count));
  }
  return Status();
}

}  // namespace

Status write_private_file(const std::string& path, std::string_view text, mode_t mode) {
  unlink(path.c_str());
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) return errno_status(errno, "cannot write " + path);
  const Status written = write_whole(file.get(), text, path);
  if (written.ok()) return written;
  unlink(path.c_str());
  return written.with_context("cannot write " + path);
}

}  // namespace muster
