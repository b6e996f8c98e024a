// SimLoop: a Loop whose time is a number. Everything of a world (controllers, agents, processes, links) runs on one of these, in an order that
// depends on nothing but what was posted: the same seed gives the same run.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "core/port/loop.h"

namespace muster::sim {

class SimLoop final : public Loop {
 public:
  TimePoint now() const override { return now_; }
  void post(std::function<void()> work) override { at(now_, std::move(work)); }

  TimerId at(TimePoint when, std::function<void()> work) override {
    const Key key{std::max(when, now_), ++last_};
    timers_[last_] = key;
    work_[key] = std::move(work);
    return last_;
  }

  void cancel(TimerId timer) override {
    const auto found = timers_.find(timer);
    if (found == timers_.end()) return;
    work_.erase(found->second);
    timers_.erase(found);
  }

  // `check` runs after every turn.
  void after_turn(std::function<void()> check) { check_ = std::move(check); }

  // Runs what is due until `end`, which is then the time.
  void run_until(TimePoint end) {
    while (!work_.empty() && work_.begin()->first.first <= end) turn();
    now_ = std::max(now_, end);
  }
  void run_for(Duration duration) { run_until(now_ + duration); }

  // False: `limit` passed and it does not hold.
  bool run_until(const std::function<bool()>& holds, Duration limit) {
    const TimePoint end = now_ + limit;
    while (!holds()) {
      if (work_.empty() || work_.begin()->first.first > end) return false;
      turn();
    }
    return true;
  }

  uint64_t turns() const { return turns_; }

 private:
  using Key = std::pair<TimePoint, TimerId>;

  void turn() {
    auto next = work_.extract(work_.begin());
    now_ = next.key().first;
    timers_.erase(next.key().second);
    ++turns_;
    next.mapped()();
    if (check_) check_();
  }

  TimePoint now_ = from_unix_nanos(1'700'000'000'000'000'000);
  TimerId last_ = 0;
  uint64_t turns_ = 0;
  std::map<Key, std::function<void()>> work_;
  std::map<TimerId, Key> timers_;
  std::function<void()> check_;
};

}  // namespace muster::sim
