// TimerPipe: the named pipe of an agent in which the processes of its ranks set timers (the file timer of
// torch.distributed.elastic). It carries lines and judges none. Loop thread only.
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

  // A line without its end, and what the wall clock showed when it was read, in nanoseconds since the UNIX epoch: it may
  // jump. Lines above PIPE_BUF (4,096 bytes, pipe(7)) are dropped, as they may be torn.
  using OnLine = std::function<void(std::string_view line, int64_t wall_nanos)>;

  // Makes the pipe and says where it is: at `wished` (absolute) where nothing is, or a pipe that nobody reads; else, and
  // where `wished` is empty, at a place of its own. An earlier one is gone, with what was not read of it. Fails where no
  // pipe can be made.
  virtual Result<std::string> open(const std::string& wished, OnLine on_line) = 0;

  // Removes it; nothing happens where there is none.
  virtual void close() = 0;

  // The leader of the session of a process; 0: it is gone.
  virtual int64_t session_of(int64_t pid) const = 0;
};

}  // namespace muster
