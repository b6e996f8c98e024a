// SPDX-License-Identifier: Apache-2.0
// FdLoop: a Loop that also waits for file descriptors and signals, for code in core/system. The layers above use
// core/port/loop.h.
//
// All calls and handlers run on the loop thread. A watch ends when its object is destroyed, which its own handler may do.
// Destroy all watches before the loop.
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
  // `ready` runs once per turn while `fd` can be read without blocking: bytes, end of file, an error; for a pidfd, the end
  // of its process. `fd` is not owned and must outlive the watch. A descriptor can have only one watch at a time; use
  // dup(2) for another. Null: the kernel refuses another watch (epoll_ctl(2): ENOSPC, ENOMEM).
  virtual std::unique_ptr<LoopWatch> watch_readable(int fd, std::function<void()> ready) = 0;

  // The same for writing.
  virtual std::unique_ptr<LoopWatch> watch_writable(int fd, std::function<void()> ready) = 0;

  // `arrived` runs in a turn after the process got signal `number`; several signals may lead to one call. After the last
  // watch of a signal is destroyed, its default action applies again.
  virtual std::unique_ptr<LoopWatch> watch_signal(int number, std::function<void()> arrived) = 0;
};

}  // namespace muster
