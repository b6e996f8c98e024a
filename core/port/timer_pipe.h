// SPDX-License-Identifier: Apache-2.0
// TimerPipe: the named pipe of an agent through which processes of its ranks set timers (the file timers of
// torch.distributed.elastic). It passes lines on without interpreting them. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

class TimerPipe {
 public:
  virtual ~TimerPipe() = default;

  // A line without its newline, and the wall clock when it was read, in UNIX nanoseconds; that clock may jump. Lines longer than
  // PIPE_BUF (4,096 bytes, pipe(7)) are dropped, since they may be torn.
  using OnLine = std::function<void(std::string_view line, int64_t wall_nanos)>;

  // Creates the pipe and returns its path: `wanted` (absolute) if nothing is there, or a pipe without a reader; otherwise, or if
  // `wanted` is empty, a path of its own. Removes an earlier pipe with its unread lines. Fails if no pipe can be created.
  virtual Result<std::string> open(const std::string& wanted, OnLine on_line) = 0;

  // Removes the pipe; no effect if there is none.
  virtual void close() = 0;

  // The leader of the session of a process; 0: it is gone.
  virtual int64_t session_of(int64_t pid) const = 0;
};

}  // namespace muster
