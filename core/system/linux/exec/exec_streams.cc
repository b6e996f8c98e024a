// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/exec/exec_streams.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

#include "core/port/exec_messages.h"

namespace muster {
namespace {

constexpr int kRounds = 8;             // of reads in a turn: a program that prints without end must not hold the loop
constexpr char kEndOfFile[] = "\x04";  // Ctrl-D, as a terminal takes it

}  // namespace

ExecOutput::ExecOutput(FdLoop& loop, UniqueFd fd, std::function<void(std::string_view)> bytes,
                       std::function<void()> closed)
    : loop_(loop),
      fd_(std::move(fd)),
      bytes_(std::move(bytes)),
      closed_(std::move(closed)) {}

void ExecOutput::allow(size_t bytes) {
  allowed_ += bytes;
  arm();
}

void ExecOutput::program_ended(Duration patience) {
  ended_ = true;
  until_ = loop_.now() + patience;
  arm();
}

// After the program's end, a timer reports that no more output comes: the descriptor would not.
void ExecOutput::arm() {
  if (!fd_.valid() || allowed_ == 0) return;
  if (!watch_) watch_ = loop_.watch_readable(fd_.get(), [this] { pump(); });
  if (!ended_) return;
  loop_.at(std::max(until_, loop_.now()), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->pump();
  });
}

void ExecOutput::pump() {
  const auto kept = shared_from_this();
  for (int round = 0; round < kRounds && fd_.valid() && allowed_ > 0; ++round) {
    if (!pump_once()) return;
  }
  if (allowed_ == 0) {
    watch_.reset();
  } else if (ended_) {
    arm();
  }
}

bool ExecOutput::pump_once() {
  char buffer[kExecChunk];
  const ssize_t got = read(fd_.get(), buffer, std::min(sizeof buffer, allowed_));
  if (got > 0) {
    allowed_ -= static_cast<size_t>(got);
    bytes_({buffer, static_cast<size_t>(got)});
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  // EIO: no process has the other side of the terminal open any more (pty(7) on Linux).
  const bool silent = got < 0 && errno == EAGAIN;
  if (!silent || (ended_ && loop_.now() >= until_)) finish();
  return false;
}

void ExecOutput::finish() {
  const auto closed = std::exchange(closed_, nullptr);
  close();
  if (closed) closed();
}

void ExecOutput::close() {
  watch_.reset();
  fd_.reset();
  closed_ = nullptr;
}

ExecInput::ExecInput(FdLoop& loop, UniqueFd fd, bool terminal, std::function<void(size_t)> taken)
    : loop_(loop),
      fd_(std::move(fd)),
      terminal_(terminal),
      taken_(std::move(taken)) {}

void ExecInput::write(std::string_view bytes) {
  if (!fd_.valid() || ending_) return taken_(bytes.size());
  queue_ += bytes;
  if (!watch_) flush();
}

void ExecInput::end() {
  if (std::exchange(ending_, true) || !fd_.valid()) return;
  if (terminal_) queue_ += kEndOfFile;
  if (!watch_) flush();
}

void ExecInput::flush() {
  while (!queue_.empty()) {
    const ssize_t written = ::write(fd_.get(), queue_.data(), queue_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      if (!watch_) watch_ = loop_.watch_writable(fd_.get(), [this] { flush(); });
      return;
    }
    // EPIPE: the program no longer reads. As in a pipeline, further input is dropped.
    const size_t gone = written < 0 ? queue_.size() : static_cast<size_t>(written);
    queue_.erase(0, gone);
    if (written < 0) close();
    taken_(gone);
  }
  watch_.reset();
  if (ending_ && !terminal_) close();
}

void ExecInput::close() {
  watch_.reset();
  fd_.reset();
}

}  // namespace muster
