// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/stdin_copy.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "launcher/follow/shared_watch.h"

namespace muster {

StdinCopy::StdinCopy(FdLoop& loop, int pipe) : loop_(loop), pipe_(pipe) {
  if (pipe_.valid()) wait_for_input();
}

// A file that is always ready has no watch: it is read when the pipe has room.
void StdinCopy::wait_for_input() {
  input_ = watch_shared(loop_, STDIN_FILENO, Ready::to_read, [this] { read_some(); });
  if (!input_) room_ = loop_.watch_writable(pipe_.get(), [this] { read_some(); });
}

void StdinCopy::read_some() {
  std::array<char, 16384> buffer{};
  const ssize_t length = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  input_.reset();
  room_.reset();
  if (length <= 0) return pipe_.reset();
  rest_.assign(buffer.data(), static_cast<size_t>(length));
  room_ = loop_.watch_writable(pipe_.get(), [this] { write_rest(); });
}

void StdinCopy::write_rest() {
  const ssize_t written = write(pipe_.get(), rest_.data(), rest_.size());
  if (written < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (written > 0) rest_.erase(0, static_cast<size_t>(written));
  if (written > 0 && !rest_.empty()) return;
  room_.reset();
  if (written < 0) return pipe_.reset();
  wait_for_input();
}

}  // namespace muster
