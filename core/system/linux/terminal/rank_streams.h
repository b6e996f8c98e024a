// SPDX-License-Identifier: Apache-2.0
// RankStreams: the streams of a process that are not files of its request: a pseudo-terminal, and the stdin of the command that
// submitted the job. Loop thread only.
#pragma once

#include <array>
#include <memory>

#include "core/base/log.h"
#include "core/base/result.h"
#include "core/port/process_host.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/terminal/terminal.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class RankStreams {
 public:
  // not_found: the command whose stdin the process should read has ended, and nobody had opened that stdin before.
  // `kept`: as Terminal::open().
  static Result<RankStreams> open(FdLoop& loop, Log& log, const SpawnRequest& request, KeptTerminals* kept);

  // The descriptor of a controlling terminal; -1: none.
  int controlling() const { return controls_ ? side_.get() : -1; }
  // Descriptors above 2 for stdin, stdout and stderr; -1: /dev/null, and the files of the request. Destroy the object once the process
  // has them.
  std::array<int, 3> stdio() const;

  // Our side of the pseudo-terminal, once. Null: there is none.
  std::unique_ptr<Terminal> take_terminal() { return std::move(terminal_); }

 private:
  std::unique_ptr<Terminal> terminal_;
  UniqueFd side_;          // of the process; not valid: it has no pseudo-terminal
  bool controls_ = false;  // the terminal is the controlling one
  bool typed_ = false;     // stdin is the terminal
  UniqueFd input_;
};

}  // namespace muster
