// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/byte_ends.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/port/exec_messages.h"
#include "launcher/follow/shared_watch.h"

namespace muster {
namespace {

constexpr int kRounds = 16;  // writes per turn

}  // namespace

// Calls `go_on` when the descriptor is ready. A file that never waits is handled in the next turn.
template <typename End>
void wait_until_ready(End& end, Ready what, void (End::*go_on)()) {
  if (end.watch_ || end.turn_due_) return;
  end.watch_ = watch_shared(end.loop_, end.fd_, what, [&end, go_on] { (end.*go_on)(); });
  if (end.watch_) return;
  end.turn_due_ = true;
  end.loop_.post([weak = end.weak_from_this(), go_on] {
    const auto self = weak.lock();
    if (!self) return;
    self->turn_due_ = false;
    ((*self).*go_on)();
  });
}

void ByteSource::allow(size_t bytes) {
  allowed_ += bytes;
  arm();
}

void ByteSource::arm() {
  if (bytes_ && allowed_ > 0) wait_until_ready(*this, Ready::to_read, &ByteSource::pump);
}

void ByteSource::pump() {
  if (!bytes_ || allowed_ == 0 || !is_ready(fd_, Ready::to_read)) return arm();
  const auto kept = shared_from_this();
  char buffer[kExecChunk];
  const ssize_t got = read(fd_, buffer, std::min(sizeof buffer, allowed_));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return arm();
  if (got <= 0) {
    const auto bytes = std::exchange(bytes_, nullptr);
    close();
    return bytes({});
  }
  allowed_ -= static_cast<size_t>(got);
  if (allowed_ == 0) watch_.reset();
  const auto bytes = bytes_;
  bytes({buffer, static_cast<size_t>(got)});
  arm();
}

void ByteSource::close() {
  watch_.reset();
  bytes_ = nullptr;
}

void ByteSink::write(std::string_view bytes) {
  if (broken_) return;
  queue_ += bytes;
  arm();
}

void ByteSink::arm() {
  if (!queue_.empty()) wait_until_ready(*this, Ready::to_write, &ByteSink::flush);
}

// Writes at most PIPE_BUF bytes at a time: a pipe that is ready takes them without blocking (pipe(7)).
void ByteSink::flush() {
  const auto kept = shared_from_this();
  size_t gone = 0;
  for (int round = 0; round < kRounds && gone < queue_.size() && is_ready(fd_, Ready::to_write); ++round) {
    const ssize_t written = ::write(fd_, queue_.data() + gone, std::min<size_t>(PIPE_BUF, queue_.size() - gone));
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (written < 0) {
      broken_ = true;
      close();
      return handlers_.broken(errno);
    }
    gone += static_cast<size_t>(written);
  }
  queue_.erase(0, gone);
  if (gone > 0) handlers_.taken(gone);
  if (!queue_.empty()) return arm();
  watch_.reset();
  handlers_.drained();
}

void ByteSink::close() {
  watch_.reset();
  queue_.clear();
}

}  // namespace muster
