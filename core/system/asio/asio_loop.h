// AsioLoop: the Loop of every muster process, over boost::asio::io_context. Boost stays in the .cc.
//
// One thread runs it, the "loop thread"; work, timers, descriptors and signals each get a turn of their own, and
// now() changes only between turns. Not restartable after stop().
#pragma once

#include <functional>
#include <memory>

#include "core/system/asio/fd_loop.h"
#include "core/system/asio/process_clock.h"

namespace muster {

class AsioLoop final : public FdLoop {
 public:
  // Takes the wall clock here, once.
  explicit AsioLoop(ClockSource clock = ClockSource::monotonic);

  // Work that did not get its turn is destroyed, not run.
  ~AsioLoop() override;

  // Runs turns until stop(); the calling thread is the loop thread.
  void run();

  // Waits for one turn and runs it. False once stopped.
  bool run_one();

  // Ends run() after the current turn. Any thread.
  void stop();

  // `arrived` runs whenever the process gets the signal, for the life of the loop: SIGTERM, SIGINT. Loop thread
  // only, or before run().
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
