// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/asio_loop.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/system/asio/timer_queue.h"

namespace muster {
namespace {

// Uses the concrete executor type: asio's any_io_executor would add a few virtual calls to each wait.
using stream_descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
using boost::system::error_code;

// Runs every handler, and reads the clock once per turn, so that now() is constant within a turn.
class Turns {
 public:
  explicit Turns(ClockSource source) : clock_(source), now_(clock_.read()) {}

  void run(const std::function<void()>& work) {
    now_ = std::max(now_, clock_.read());
    work();
  }
  TimePoint now() const { return now_; }
  const ProcessClock& clock() const { return clock_; }

 private:
  const ProcessClock clock_;
  TimePoint now_;
};

// Waits repeatedly until the descriptor is ready. Asio registers descriptors edge-triggered, but each wait re-arms with
// EPOLL_CTL_MOD (epoll_reactor.ipp, start_op), which also reports a descriptor that is ready already. So this is
// level-triggered.
class Readiness : public std::enable_shared_from_this<Readiness> {
 public:
  Readiness(boost::asio::io_context& context, Turns& turns, std::function<void()> ready)
      : descriptor_(context),
        turns_(turns),
        ready_(std::move(ready)) {}

  bool start(int fd, stream_descriptor::wait_type what) {
    error_code failure;
    descriptor_.assign(fd, failure);
    what_ = what;
    if (!failure) wait();
    return !failure;
  }

  // Does not close the descriptor, which is not owned.
  void end() {
    gone_ = true;
    if (descriptor_.is_open()) descriptor_.release();
  }

 private:
  void wait() {
    descriptor_.async_wait(what_, [self = shared_from_this()](const error_code& failure) {
      if (self->gone_ || failure) return;
      self->turns_.run(self->ready_);
      if (!self->gone_) self->wait();
    });
  }

  stream_descriptor descriptor_;
  stream_descriptor::wait_type what_ = stream_descriptor::wait_read;
  Turns& turns_;
  const std::function<void()> ready_;
  bool gone_ = false;
};

class ReadinessWatch final : public LoopWatch {
 public:
  explicit ReadinessWatch(std::shared_ptr<Readiness> readiness) : readiness_(std::move(readiness)) {}
  ~ReadinessWatch() override { readiness_->end(); }

 private:
  const std::shared_ptr<Readiness> readiness_;
};

// Asio installs its handler without SA_RESTART. Adding it avoids EINTR in other threads, such as gRPC's (signal(7)).
void restart_system_calls(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  action.sa_flags |= SA_RESTART;
  sigaction(number, &action, nullptr);
}

class Signals : public std::enable_shared_from_this<Signals> {
 public:
  Signals(boost::asio::io_context& context, Turns& turns, std::function<void()> arrived)
      : set_(context),
        turns_(turns),
        arrived_(std::move(arrived)) {}

  void start(int number) {
    set_.add(number);
    restart_system_calls(number);
    wait();
  }
  void end() {
    gone_ = true;
    set_.clear();
    set_.cancel();
  }

 private:
  void wait() {
    set_.async_wait([self = shared_from_this()](const error_code& failure, int) {
      if (self->gone_ || failure) return;
      self->turns_.run(self->arrived_);
      if (!self->gone_) self->wait();
    });
  }

  boost::asio::signal_set set_;
  Turns& turns_;
  const std::function<void()> arrived_;
  bool gone_ = false;
};

class SignalWatch final : public LoopWatch {
 public:
  explicit SignalWatch(std::shared_ptr<Signals> signals) : signals_(std::move(signals)) {}
  ~SignalWatch() override { signals_->end(); }

 private:
  const std::shared_ptr<Signals> signals_;
};

struct Context : boost::asio::io_context {
  using io_context::io_context;
  // Destroys all waits and posted work without running them. May be called before destruction.
  using io_context::shutdown;
};

}  // namespace

struct AsioLoop::Impl {
  explicit Impl(ClockSource source)
      : turns(source),
        timer_fd(context, timerfd_create(turns.clock().id(), TFD_NONBLOCK | TFD_CLOEXEC)) {}
  // Destroying posted work may still cancel timers, so do it while the other members exist.
  ~Impl() { context.shutdown(); }

  std::unique_ptr<LoopWatch> watch(int fd, stream_descriptor::wait_type what, std::function<void()> ready);
  void wait_for_timers();
  void run_due();
  void arm();

  // One thread runs the context and waits for descriptors; any thread may post. Only posting needs locks.
  Context context{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  Turns turns;
  TimerQueue timers;
  std::optional<TimePoint> armed;
  stream_descriptor timer_fd;
  std::vector<std::unique_ptr<LoopWatch>> lasting;
};

std::unique_ptr<LoopWatch> AsioLoop::Impl::watch(int fd, stream_descriptor::wait_type what,
                                                 std::function<void()> ready) {
  auto readiness = std::make_shared<Readiness>(context, turns, std::move(ready));
  if (!readiness->start(fd, what)) return nullptr;
  return std::make_unique<ReadinessWatch>(std::move(readiness));
}

void AsioLoop::Impl::wait_for_timers() {
  timer_fd.async_wait(stream_descriptor::wait_read, [this](const error_code& failure) {
    if (failure) return;
    run_due();
    wait_for_timers();
  });
}

// Runs one timer per turn. If more are due, the timer is armed in the past, so they get the next turns.
void AsioLoop::Impl::run_due() {
  uint64_t expirations = 0;
  [[maybe_unused]] const ssize_t got = read(timer_fd.native_handle(), &expirations, sizeof expirations);
  armed.reset();
  turns.run([this] {
    const std::function<void()> work = timers.take_due(turns.now());
    if (work) work();
  });
  arm();
}

void AsioLoop::Impl::arm() {
  const std::optional<TimePoint> next = timers.next();
  if (next == armed) return;
  armed = next;
  itimerspec setting{};
  if (next) setting.it_value = turns.clock().kernel_time(*next);
  timerfd_settime(timer_fd.native_handle(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

AsioLoop::AsioLoop(ClockSource clock) : impl_(std::make_unique<Impl>(clock)) { impl_->wait_for_timers(); }

AsioLoop::~AsioLoop() { impl_->lasting.clear(); }

void AsioLoop::run() {
  while (run_one()) {
  }
}

bool AsioLoop::run_one() { return impl_->context.run_one() == 1 && !impl_->context.stopped(); }

void AsioLoop::stop() { impl_->context.stop(); }

void AsioLoop::on_signal(int number, std::function<void()> arrived) {
  impl_->lasting.push_back(watch_signal(number, std::move(arrived)));
}

TimePoint AsioLoop::now() const { return impl_->turns.now(); }

void AsioLoop::post(std::function<void()> work) {
  boost::asio::post(impl_->context, [impl = impl_.get(), work = std::move(work)] { impl->turns.run(work); });
}

TimerId AsioLoop::at(TimePoint when, std::function<void()> work) {
  const TimerId timer = impl_->timers.add(when, std::move(work));
  impl_->arm();
  return timer;
}

void AsioLoop::cancel(TimerId timer) {
  impl_->timers.cancel(timer);
  impl_->arm();
}

std::unique_ptr<LoopWatch> AsioLoop::watch_readable(int fd, std::function<void()> ready) {
  return impl_->watch(fd, stream_descriptor::wait_read, std::move(ready));
}

std::unique_ptr<LoopWatch> AsioLoop::watch_writable(int fd, std::function<void()> ready) {
  return impl_->watch(fd, stream_descriptor::wait_write, std::move(ready));
}

std::unique_ptr<LoopWatch> AsioLoop::watch_signal(int number, std::function<void()> arrived) {
  auto signals = std::make_shared<Signals>(impl_->context, impl_->turns, std::move(arrived));
  signals->start(number);
  return std::make_unique<SignalWatch>(std::move(signals));
}

}  // namespace muster
