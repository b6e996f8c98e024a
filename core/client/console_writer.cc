// SPDX-License-Identifier: Apache-2.0
#include "core/client/console_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace muster {
namespace {

bool has_room(int fd, int milliseconds) {
  pollfd room{fd, POLLOUT, 0};
  return poll(&room, 1, milliseconds) != 0;
}

mode_t kind_of(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

// Invalid for a socket, for a descriptor that never blocks, and for another user's pipe or terminal.
UniqueFd opened_again(int fd) {
  if (kind_of(fd) != S_IFIFO && isatty(fd) == 0) return {};
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  return UniqueFd(open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

ConsoleWriter::ConsoleWriter(int fd) : fd_(fd), own_(opened_again(fd)) {}

int ConsoleWriter::write(std::string_view text) {
  const int error = waits() ? 0 : send(text);
  rest_ += text;
  if (error != 0) rest_.clear();
  return error;
}

int ConsoleWriter::go_on() {
  std::string_view left = rest_;
  const int error = send(left);
  rest_.erase(0, error == 0 ? rest_.size() - left.size() : rest_.size());
  return error;
}

int ConsoleWriter::send(std::string_view& text) const {
  while (!text.empty()) {
    const ssize_t written = write_some(text);
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// A pipe that poll(2) reports as writable takes at least PIPE_BUF bytes (pipe(7)).
ssize_t ConsoleWriter::write_some(std::string_view text) const {
  if (own_.valid()) return ::write(own_.get(), text.data(), text.size());
  switch (kind_of(fd_)) {
    case S_IFREG: return ::write(fd_, text.data(), text.size());
    case S_IFSOCK: return ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    default: break;
  }
  if (!has_room(fd_, 0)) return errno = EAGAIN, -1;
  return ::write(fd_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      has_room(fd, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool same_place(int one, int other) {
  struct stat first {};
  struct stat second {};
  if (fstat(one, &first) != 0 || fstat(other, &second) != 0) return false;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace muster
