// SPDX-License-Identifier: Apache-2.0
// TestLoop: the smallest Loop that turns on the test's own thread. Tests only.
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>

#include "core/port/loop.h"

namespace muster {

class TestLoop final : public Loop {
 public:
  TimePoint now() const override { return now_; }

  void post(std::function<void()> work) override {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    arrived_.notify_one();
  }

  TimerId at(TimePoint when, std::function<void()> work) override {
    timers_[++last_timer_] = {when, std::move(work)};
    return last_timer_;
  }

  void cancel(TimerId timer) override { timers_.erase(timer); }

  // The number of timers that are set.
  size_t armed() const { return timers_.size(); }

  // Waits for at most a millisecond and runs one piece of work.
  void turn() {
    now_ = TimePoint(std::chrono::steady_clock::now().time_since_epoch());
    if (run_timer()) return;
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      if (!arrived_.wait_for(lock, std::chrono::milliseconds(1), [this] { return !queue_.empty(); })) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }

  // False: `done` was not true within a minute.
  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      turn();
    }
    return true;
  }

  // Runs `blocking` on a thread of its own while the loop turns.
  template <typename Function>
  auto during(Function blocking) {
    auto future = std::async(std::launch::async, std::move(blocking));
    run_until([&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    return future.get();
  }

 private:
  struct Timer {
    TimePoint when;
    std::function<void()> work;
  };

  bool run_timer() {
    for (auto& [id, timer] : timers_) {
      if (timer.when > now_) continue;
      const auto work = std::move(timer.work);
      timers_.erase(id);
      work();
      return true;
    }
    return false;
  }

  TimePoint now_{std::chrono::steady_clock::now().time_since_epoch()};
  std::map<TimerId, Timer> timers_;
  TimerId last_timer_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> queue_;
};

}  // namespace muster
