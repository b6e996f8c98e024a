// FdLoop: a Loop that also waits for file descriptors and signals, for adapters that speak to the kernel. Not for
// the floors above them: those see port/loop.h.
//
// Every call and every handler: loop thread only. A watch ends with its object, also when its own handler destroys
// it; the watch must go before the loop does.
#pragma once

#include <functional>
#include <memory>

#include "core/port/loop.h"

namespace muster {

// A subscription that ends with the object.
class LoopWatch {
 public:
  virtual ~LoopWatch() = default;
};

class FdLoop : public Loop {
 public:
  // `ready` runs, once a turn, as long as `fd` can be read without blocking: bytes, end of file, an error; of a
  // pidfd: its process ended. The descriptor stays the caller's and must outlive the watch; each is watched once
  // at a time (dup(2) gives another). Null when the kernel refuses one more (epoll_ctl(2): ENOSPC, ENOMEM).
  virtual std::unique_ptr<LoopWatch> watch_readable(int fd, std::function<void()> ready) = 0;

  // The same for writing.
  virtual std::unique_ptr<LoopWatch> watch_writable(int fd, std::function<void()> ready) = 0;

  // `arrived` runs in a turn after the process got signal `number`; several may be one call. Default handling
  // comes back with the last watch of that signal.
  virtual std::unique_ptr<LoopWatch> watch_signal(int number, std::function<void()> arrived) = 0;
};

}  // namespace muster
