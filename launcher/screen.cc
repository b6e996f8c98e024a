#include "launcher/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/result.h"

namespace muster {
namespace {

constexpr int broken_pipe_exit_code = 128 + 13;
constexpr int kWidePipe = 1024 * 1024;
constexpr size_t kMuch = 64 * 1024;  // in one go: all that a pipe has room for, as it comes

// 0, or the errno value that kept a part of `text` from being written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Refused where the user has too much in pipes already (pipe(7)), and where it is no pipe.
void widen_pipe(int fd) {
  if (fcntl(fd, F_GETPIPE_SZ) < kWidePipe) fcntl(fd, F_SETPIPE_SZ, kWidePipe);
}

}  // namespace

// A full disk behind `>` loses text, not the job; a reader that left wants no more.
void FdScreen::out(std::string_view text) {
  if (out_is_broken_) return;
  if (text.size() > kMuch && !std::exchange(widened_, true)) widen_pipe(STDOUT_FILENO);
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  if (error != EPIPE) return out_is_full(error);
  out_is_broken_ = true;
  if (!broken_) _exit(broken_pipe_exit_code);
  broken_();
}

void FdScreen::out_is_full(int error) {
  failed_ = true;
  if (std::exchange(out_is_full_, true)) return;
  err("error: " + errno_status(error, "stdout takes no more").message() + "\n");
  if (full_) full_();
}

// There is nobody to tell it to; what ranks wrote to stderr is lost all the same.
void FdScreen::err(std::string_view text) {
  const int error = write_all(STDERR_FILENO, text);
  if (error != 0 && error != EPIPE) failed_ = true;
}

}  // namespace muster
