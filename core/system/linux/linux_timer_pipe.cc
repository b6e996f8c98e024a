// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/linux_timer_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>

#include "core/system/posix/same_file.h"

namespace muster {
namespace {

int64_t wall_nanos() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

bool is_fifo(const struct stat& file) { return S_ISFIFO(file.st_mode) && file.st_uid == geteuid(); }

// True if the path does not exist, or is a pipe of ours without a reader: the agent that made it was killed.
bool is_free(const std::string& path) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0) return errno == ENOENT;
  if (!is_fifo(file)) return false;
  return !UniqueFd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)).valid() && errno == ENXIO;
}

// The pipe is opened for writing too, so it does not reach end of file when the last writer closes it.
Result<UniqueFd> make_fifo(const std::string& path) {
  if (!is_free(path)) return Status(Code::already_exists, path + " exists and is not an unused pipe of this user");
  unlink(path.c_str());
  if (mkfifo(path.c_str(), 0600) != 0) return errno_status(errno, "mkfifo " + path);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat file {};
  if (!fd.valid() || fstat(fd.get(), &file) != 0) return errno_status(errno, "open " + path);
  if (!is_fifo(file)) return Status(Code::already_exists, path + " was replaced while muster opened it");
  return fd;
}

}  // namespace

Result<std::string> LinuxTimerPipe::open(const std::string& wished, OnLine on_line) {
  close();
  on_line_ = std::move(on_line);
  path_ = wished.empty() ? own_ : wished;
  Result<UniqueFd> fd = make_fifo(path_);
  if (!fd.ok() && path_ != own_) fd = make_fifo(path_ = own_);
  if (!fd.ok()) return fd.status();
  fd_ = std::move(*fd);
  watch_ = loop_.watch_readable(fd_.get(), [this] { readable(); });
  return path_;
}

void LinuxTimerPipe::close() {
  watch_.reset();
  begun_.clear();
  too_long_ = false;
  if (is_still(fd_, path_, AT_SYMLINK_NOFOLLOW)) unlink(path_.c_str());
  fd_.reset();
}

void LinuxTimerPipe::readable() {
  std::array<char, 16 << 10> buffer;
  const ssize_t got = read(fd_.get(), buffer.data(), buffer.size());
  if (got > 0) take({buffer.data(), static_cast<size_t>(got)});
}

void LinuxTimerPipe::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    begun_ += bytes.substr(0, end);
    too_long_ = too_long_ || begun_.size() > PIPE_BUF;
    if (too_long_) begun_.clear();
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(begun_, {});
    if (!std::exchange(too_long_, false)) on_line_(line, wall_nanos());
  }
}

int64_t LinuxTimerPipe::session_of(int64_t pid) const {
  const pid_t leader = getsid(static_cast<pid_t>(pid));
  return leader > 0 ? leader : 0;
}

}  // namespace muster
