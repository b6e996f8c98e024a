// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/system/linux/terminal/pseudo_terminal.h"

namespace muster {
namespace {

constexpr size_t kMostTyped = 64 << 10;

UniqueFd open_output_file(const std::string& path) {
  const char* name = path.empty() ? "/dev/null" : path.c_str();
  return UniqueFd(::open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600));
}

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open(FdLoop& loop, Log& log, const std::string& output_path,
                                                 const std::optional<CallerWindow>& window, KeptTerminals* kept) {
  auto opened = open_pseudo_terminal();
  if (!opened.ok()) return opened.status();
  if (window) pass_output_unchanged(opened->process_side.get());
  if (window && window->rows > 0) resize_terminal(opened->ours.get(), window->rows, window->columns);
  UniqueFd output = open_output_file(output_path);
  if (!output.valid()) return errno_status(errno, "cannot write output to " + output_path);
  return std::unique_ptr<Terminal>(
      new Terminal(loop, log, std::move(opened->ours), std::move(opened->process_side), std::move(output), kept));
}

Terminal::Terminal(FdLoop& loop, Log& log, UniqueFd ours, UniqueFd process_side, UniqueFd output, KeptTerminals* kept)
    : loop_(loop),
      log_(log),
      ours_(std::move(ours)),
      typing_(fcntl(ours_.get(), F_DUPFD_CLOEXEC, 0)),
      output_(std::move(output)),
      process_side_(std::move(process_side)),
      kept_(kept),
      number_(kept == nullptr ? 0 : kept->keep(ours_.get(), output_.get())),
      printed_watch_(loop_.watch_readable(ours_.get(), [this] { drain(); })) {}

Terminal::~Terminal() {
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
  for (int round = 0; round < 16; ++round) {
    const ssize_t got = read(ours_.get(), buffer, sizeof buffer);
    if (got > 0) {
      append({buffer, static_cast<size_t>(got)});
      continue;
    }
    // EIO: no process has the other side open any more (pty(7) on Linux). The descriptor would stay readable.
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) printed_watch_.reset();
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
    output_failed_ = true;
    log_.error(errno_status(errno, "output of a terminal is lost from here on").message());
  }
}

}  // namespace muster
