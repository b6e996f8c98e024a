// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/system/linux/terminal/pseudo_terminal.h"
#include "core/system/posix/write_failure.h"

namespace muster {
namespace {

constexpr size_t kMostTyped = 64 << 10;
constexpr Duration kTryAgain = std::chrono::milliseconds(200);
// The end of a process is told at most this much later because its last output waits.
constexpr Duration kMostWait = std::chrono::seconds(30);

UniqueFd open_output_file(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600));
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open(FdLoop& loop, Log& log, const std::string& output_path,
                                                 const std::optional<CallerWindow>& window, KeptTerminals* kept) {
  auto opened = open_pseudo_terminal();
  if (!opened.ok()) return opened.status();
  if (window) pass_output_unchanged(opened->process_side.get());
  if (window && window->rows > 0) resize_terminal(opened->ours.get(), window->rows, window->columns);
  UniqueFd output = open_output_file(output_path);
  if (!output.valid() && (errno == ENOSPC || errno == EDQUOT)) return write_failure(errno, folder_of(output_path));
  if (!output.valid()) return errno_status(errno, "cannot write output to " + output_path);
  return std::unique_ptr<Terminal>(new Terminal(loop, log, std::move(opened->ours), std::move(opened->process_side),
                                                std::move(output), output_path, kept));
}

Terminal::Terminal(FdLoop& loop, Log& log, UniqueFd ours, UniqueFd process_side, UniqueFd output,
                   const std::string& output_path, KeptTerminals* kept)
    : loop_(loop),
      log_(log),
      ours_(std::move(ours)),
      typing_(fcntl(ours_.get(), F_DUPFD_CLOEXEC, 0)),
      output_(std::move(output)),
      process_side_(std::move(process_side)),
      kept_(kept),
      number_(kept == nullptr ? 0 : kept->keep(ours_.get(), output_.get())),
      folder_(folder_of(output_path)),
      printed_watch_(loop_.watch_readable(ours_.get(), [this] { drain(); })) {}

Terminal::~Terminal() {
  loop_.cancel(again_);
  if (kept_ != nullptr) kept_->drop(number_);
}

void Terminal::write(std::string_view bytes) {
  typed_ += bytes.substr(0, kMostTyped - typed_.size());
  if (!typing_watch_) flush_typed();
}

void Terminal::resize(uint16_t rows, uint16_t columns) { resize_terminal(ours_.get(), rows, columns); }

// Reads a limited amount in each turn: a process that prints without end must not block the loop.
void Terminal::drain() {
  char buffer[16384];
  for (int round = 0; round < 16 && !waits(); ++round) {
    const ssize_t got = read(ours_.get(), buffer, sizeof buffer);
    if (got > 0) {
      append({buffer, static_cast<size_t>(got)});
      continue;
    }
    // EIO: no process has the other side open any more (pty(7) on Linux). The descriptor would stay readable.
    ended_ = got == 0 || (errno != EAGAIN && errno != EINTR);
    if (ended_) printed_watch_.reset();
    return;
  }
}

void Terminal::flush_typed() {
  const ssize_t written = ::write(typing_.get(), typed_.data(), typed_.size());
  if (written > 0) typed_.erase(0, static_cast<size_t>(written));
  if (written < 0 && errno != EAGAIN && errno != EINTR) typed_.clear();
  if (typed_.empty()) {
    typing_watch_.reset();
  } else if (!typing_watch_) {
    typing_watch_ = loop_.watch_writable(typing_.get(), [this] { flush_typed(); });
  }
}

void Terminal::append(std::string_view bytes) {
  while (!bytes.empty() && !output_failed_) {
    const ssize_t written = ::write(output_.get(), bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT) return hold(bytes, errno);
    output_failed_ = true;
    log_.error(errno_status(errno, "output of a terminal is lost from here on").message());
  }
}

void Terminal::hold(std::string_view bytes, int error) {
  held_ = bytes;
  printed_watch_.reset();
  again_ = loop_.at(loop_.now() + kTryAgain, [this] { try_again(); });
  if (!why_held_.empty()) return;
  why_held_ = write_failure(error, folder_).message();
  log_.error("output of a terminal waits: " + why_held_);
  tell(why_held_, false);
}

void Terminal::try_again() {
  append(std::exchange(held_, ""));
  const bool late = stored_ && loop_.now() >= stored_until_;
  if (!waits()) {
    why_held_.clear();
    tell("", false);
    printed_watch_ = loop_.watch_readable(ours_.get(), [this] { drain(); });
    drain();
  } else if (late) {
    tell(why_held_, true);
  }
  if (stored_ && (late || !waits())) std::exchange(stored_, nullptr)();
}

void Terminal::when_stored(std::function<void()> done) {
  stored_ = std::move(done);
  stored_until_ = loop_.now() + kMostWait;
}

// In a later turn: the listener may destroy this object.
void Terminal::tell(const std::string& why, bool missing) {
  if (on_wait_) loop_.post([waits = on_wait_, why, missing] { waits(why, missing); });
}

}  // namespace muster
