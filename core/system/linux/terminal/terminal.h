// SPDX-License-Identifier: Apache-2.0
// Terminal: our side of the pseudo-terminal of a `tty` process (pty(7)). Appends the process's output to a
// file and writes the user's input to the process. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/result.h"
#include "core/job/caller_streams.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/terminal/kept_terminals.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class Terminal {
 public:
  // Opens a terminal with 24 rows and 80 columns, or of the size of `window`, which gets output unchanged (no CR before LF).
  // `output_path` (empty: /dev/null) gets mode 0600 and is appended to. `kept`: keeps the terminal while this object lives; null: none.
  static Result<std::unique_ptr<Terminal>> open(FdLoop& loop, Log& log, const std::string& output_path,
                                                const std::optional<CallerWindow>& window, KeptTerminals* kept);
  ~Terminal();

  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The process's side, above 2; call it once. The caller closes it once the process has it; otherwise the end is never seen.
  UniqueFd take_process_side() { return std::move(process_side_); }

  // At most 64 KiB wait for a process that does not read; further input is dropped.
  void write(std::string_view bytes);
  void resize(uint16_t rows, uint16_t columns);

  // Call after the process has ended. Appends the output that was not yet read.
  void drain();
  // No process has the other side open any more.
  bool ended() const { return !printed_watch_; }

 private:
  Terminal(FdLoop& loop, Log& log, UniqueFd ours, UniqueFd process_side, UniqueFd output, KeptTerminals* kept);

  void flush_typed();
  void append(std::string_view bytes);

  FdLoop& loop_;
  Log& log_;
  const UniqueFd ours_;
  const UniqueFd typing_;  // a duplicate, so that input has its own watch
  const UniqueFd output_;
  UniqueFd process_side_;
  KeptTerminals* const kept_;
  const uint64_t number_;  // in `kept_`
  std::string typed_;
  bool output_failed_ = false;
  std::unique_ptr<LoopWatch> printed_watch_;
  std::unique_ptr<LoopWatch> typing_watch_;
};

}  // namespace muster
