// SPDX-License-Identifier: Apache-2.0
// AsioLoop: the Loop of every muster process, with boost::asio::io_context. Only the .cc includes Boost.
//
// One thread runs it, the "loop thread". Each work item, timer, descriptor event and signal gets its own turn, and now()
// changes only between turns. Cannot be restarted after stop().
#pragma once

#include <functional>
#include <memory>

#include "core/system/asio/fd_loop.h"
#include "core/system/asio/process_clock.h"

namespace muster {

class AsioLoop final : public FdLoop {
 public:
  // Reads the wall clock once.
  explicit AsioLoop(ClockSource clock = ClockSource::monotonic);

  // Pending work is destroyed, not run.
  ~AsioLoop() override;

  // Runs turns until stop(); the calling thread is the loop thread.
  void run();

  // Waits for one turn and runs it. False once stopped.
  bool run_one();

  // Ends run() after the current turn. Any thread.
  void stop();

  // `arrived` runs whenever the process gets the signal (such as SIGTERM), until the loop is destroyed. Loop thread only,
  // or before run().
  void on_signal(int number, std::function<void()> arrived);

  TimePoint now() const override;
  void post(std::function<void()> work) override;
  TimerId at(TimePoint when, std::function<void()> work) override;
  void cancel(TimerId timer) override;
  std::unique_ptr<LoopWatch> watch_readable(int fd, std::function<void()> ready) override;
  std::unique_ptr<LoopWatch> watch_writable(int fd, std::function<void()> ready) override;
  std::unique_ptr<LoopWatch> watch_signal(int number, std::function<void()> arrived) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
