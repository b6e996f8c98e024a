// SPDX-License-Identifier: Apache-2.0
#include "core/client/screen.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/result.h"

namespace muster {
namespace {

constexpr int broken_pipe_exit_code = 128 + 13;
constexpr int kWidePipe = 1024 * 1024;
constexpr size_t kMuch = 64 * 1024;  // bytes in one call: the default capacity of a pipe

// No effect if `fd` is not a pipe or the user's limit for pipes is reached (pipe(7)).
void widen_pipe(int fd) {
  if (fcntl(fd, F_GETPIPE_SZ) < kWidePipe) fcntl(fd, F_SETPIPE_SZ, kWidePipe);
}

}  // namespace

void FdScreen::out(std::string_view text) {
  if (out_is_broken_) return;
  if (text.size() > kMuch && !std::exchange(widened_, true)) widen_pipe(STDOUT_FILENO);
  lost(STDOUT_FILENO, write(STDOUT_FILENO, text));
}

void FdScreen::err(std::string_view text) { lost(STDERR_FILENO, write(STDERR_FILENO, text)); }

// A full disk behind `>` loses text but does not end the job. A closed pipe drops all further output. A failure of stderr
// cannot be reported anywhere; it only sets failed().
void FdScreen::lost(int fd, int error) {
  if (error == 0) return;
  if (fd == STDERR_FILENO) {
    failed_ = failed_ || error != EPIPE;
    return;
  }
  if (error != EPIPE) return out_is_full(error);
  if (std::exchange(out_is_broken_, true)) return;
  if (!broken_) _exit(broken_pipe_exit_code);
  broken_();
}

void FdScreen::out_is_full(int error) {
  failed_ = true;
  if (std::exchange(out_is_full_, true)) return;
  const Status status = error == EBADF ? Status(Code::unavailable, "cannot write to stdout: it is closed")
                                       : errno_status(error, "cannot write to stdout");
  err("error: " + status.message() + "\n");
  if (full_) full_();
}

void FdScreen::serve(FdLoop& loop, std::function<void(bool)> hold) {
  loop_ = &loop;
  hold_ = std::move(hold);
  out_side_.emplace(STDOUT_FILENO);
  if (!same_place(STDOUT_FILENO, STDERR_FILENO)) err_side_.emplace(STDERR_FILENO);
}

void FdScreen::serve_no_more() {
  loop_ = nullptr;
  out_side_.reset();
  err_side_.reset();
}

bool FdScreen::waits() const {
  return (out_side_ && out_side_->console_writer.waits()) || (err_side_ && err_side_->console_writer.waits());
}

FdScreen::Side& FdScreen::side_of(int fd) { return fd == STDERR_FILENO && err_side_ ? *err_side_ : *out_side_; }

int FdScreen::write(int fd, std::string_view text) {
  if (loop_ == nullptr) return write_all(fd, text);
  const bool waited = waits();
  Side& side = side_of(fd);
  const int error = side.console_writer.write(text);
  if (side.console_writer.waits() && !side.room)
    side.room = loop_->watch_writable(side.console_writer.watched(), [this, fd] { go_on(fd); });
  report_hold(waited);
  return error;
}

void FdScreen::go_on(int fd) {
  const bool waited = waits();
  Side& side = side_of(fd);
  const int error = side.console_writer.go_on();
  if (!side.console_writer.waits()) side.room.reset();
  report_hold(waited);
  lost(err_side_ ? fd : STDOUT_FILENO, error);
}

void FdScreen::report_hold(bool waited) {
  if (waits() != waited) hold_(!waited);
}

}  // namespace muster
