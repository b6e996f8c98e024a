// SPDX-License-Identifier: Apache-2.0
// Terminal: our side of the pseudo-terminal of a `tty` process (pty(7)). Appends the process's output to a
// file and writes the user's input to the process.
//
// If the file's disk is full, at most 16 KiB wait here and nothing more is read, so that the process waits as well. The write
// is tried again every 200 ms. Loop thread only.
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
#include "core/port/process_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/terminal/kept_terminals.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class Terminal {
 public:
  // Opens a terminal with 24 rows and 80 columns, or of the size of `window`, which gets output unchanged (no CR before LF).
  // `output_path` gets mode 0600 and is appended to. `kept`: keeps the terminal while this object lives; null: none.
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

  // `waits` is told when output cannot be stored now. Set it once.
  void on_wait(OutputWaits waits) { on_wait_ = std::move(waits); }

  // Call after the process has ended. Appends the output that was not yet read.
  void drain();
  // Output waits until it can be stored.
  bool waits() const { return !held_.empty(); }
  // Call it once, while output waits: `done` is called when all is stored, or 30 s later. It may destroy this object.
  void when_stored(std::function<void()> done);
  // No process has the other side open any more, and all output is stored.
  bool ended() const { return ended_ && !waits(); }

 private:
  Terminal(FdLoop& loop, Log& log, UniqueFd ours, UniqueFd process_side, UniqueFd output,
           const std::string& output_path, KeptTerminals* kept);

  void flush_typed();
  void append(std::string_view bytes);
  void hold(std::string_view bytes, int error);
  void try_again();
  void tell(const std::string& why, bool missing);

  FdLoop& loop_;
  Log& log_;
  const UniqueFd ours_;
  const UniqueFd typing_;  // a duplicate, so that input has its own watch
  const UniqueFd output_;
  UniqueFd process_side_;
  KeptTerminals* const kept_;
  const uint64_t number_;     // in `kept_`
  const std::string folder_;  // of the output file
  std::string typed_;
  bool ended_ = false;
  bool output_failed_ = false;
  std::string held_;  // output that waits
  std::string why_held_;
  OutputWaits on_wait_;
  std::function<void()> stored_;  // of when_stored()
  TimePoint stored_until_;
  TimerId again_ = 0;
  std::unique_ptr<LoopWatch> printed_watch_;
  std::unique_ptr<LoopWatch> typing_watch_;
};

}  // namespace muster
