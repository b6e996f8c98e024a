// SPDX-License-Identifier: Apache-2.0
// ExitOrder: reports a failure after the exits of processes that began to end before. The kernel closes the connections of a process
// before it reports the exit, so a peer that fails because of it may be reported first, and would be named as the cause.
// Loop thread only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/port/loop.h"

namespace muster {

class ExitOrder {
 public:
  // `is_ending`: whether a process has begun to end, and its exit has not been reported.
  ExitOrder(Loop& loop, std::function<bool(pid_t)> is_ending) : loop_(loop), is_ending_(std::move(is_ending)) {}
  ~ExitOrder() { *alive_ = false; }
  ExitOrder(const ExitOrder&) = delete;
  ExitOrder& operator=(const ExitOrder&) = delete;

  // Calls `report` now if none of the processes is ending, else when these have ended, but within 100 ms.
  void report_after(std::vector<pid_t> processes, std::function<void()> report);

 private:
  void wait(std::vector<pid_t> ending, TimePoint until, std::function<void()> report);

  Loop& loop_;
  const std::function<bool(pid_t)> is_ending_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Whether the main thread of the process has begun to end. False: it has not, or there is no such process.
bool has_begun_to_exit(pid_t pid);

}  // namespace muster
