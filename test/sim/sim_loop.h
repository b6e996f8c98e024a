// SPDX-License-Identifier: Apache-2.0
// SimLoop: a Loop whose time is a number. Everything in a world (controllers, agents, processes, links) runs on one SimLoop, in an
// order that depends only on what was posted: the same seed gives the same run.
//
// Its time is the true time. Work of a simulated process passes a gate, which decides whether that process can run now
// (sim_host.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/port/loop.h"

namespace muster::sim {

class SimLoop final : public Loop {
 public:
  // parked: until unpark(). never: the process has ended.
  struct Passage {
    enum class When { now, later, parked, never } when = When::now;
    TimePoint later;
  };
  class Gate {
   public:
    virtual ~Gate() = default;
    // `due`: by the gate's own clock.
    virtual Passage ask(TimePoint due) const = 0;
    virtual const std::string& name() const = 0;
  };

  TimePoint now() const override { return now_; }
  void post(std::function<void()> work) override { at(now_, std::move(work)); }
  TimerId at(TimePoint when, std::function<void()> work) override { return at(when, nullptr, {}, std::move(work)); }

  // Work that must pass `gate` when it is due; null: no gate.
  TimerId at(TimePoint when, std::shared_ptr<const Gate> gate, TimePoint due, std::function<void()> work) {
    const Key key{std::max(when, now_), ++last_};
    timers_[last_] = key;
    work_.emplace(key, Entry{std::move(gate), due, std::move(work)});
    return last_;
  }

  void cancel(TimerId timer) override {
    const auto found = timers_.find(timer);
    if (found == timers_.end()) return;
    work_.erase(found->second);
    timers_.erase(found);
  }

  // The gate has opened: its parked work is due now, in the order of posting.
  void unpark(const Gate& gate) {
    auto held = parked_.extract(&gate);
    if (held.empty()) return;
    for (auto& [id, entry] : held.mapped()) {
      const auto timer = timers_.find(id);
      if (timer == timers_.end()) continue;  // cancelled meanwhile
      timer->second = Key{now_, id};
      work_.emplace(timer->second, std::move(entry));
    }
  }

  // `check` runs after every turn.
  void after_turn(std::function<void()> check) { check_ = std::move(check); }

  // Runs the work that is due until `end`, and sets the time to `end`. Runs nothing after spun().
  void run_until(TimePoint end) {
    while (!work_.empty() && work_.begin()->first.first <= end && !spun()) turn();
    now_ = std::max(now_, end);
  }
  void run_for(Duration duration) { run_until(now_ + duration); }

  // False: `limit` has passed, and `holds` is still false.
  bool run_until(const std::function<bool()>& holds, Duration limit) {
    const TimePoint end = now_ + limit;
    while (!holds()) {
      if (work_.empty() || work_.begin()->first.first > end) return false;
      turn();
    }
    return true;
  }

  // The gate of the current turn; null: the world's own.
  const Gate* running() const { return running_; }
  uint64_t turns() const { return turns_; }
  // More turns than any world needs: some code repeats itself for ever.
  bool spun() const { return turns_ >= kMostTurns; }

  // Discards all work, also work that its destruction posts.
  void clear() {
    while (!work_.empty() || !parked_.empty()) {
      std::exchange(parked_, {});
      std::exchange(work_, {});
    }
    timers_.clear();
  }

 private:
  static constexpr uint64_t kMostTurns = 3'000'000;
  using Key = std::pair<TimePoint, TimerId>;
  struct Entry {
    std::shared_ptr<const Gate> gate;
    TimePoint due;
    std::function<void()> work;
  };

  void turn() {
    auto next = work_.extract(work_.begin());
    now_ = next.key().first;
    const TimerId id = next.key().second;
    Entry& entry = next.mapped();
    if (entry.gate != nullptr) {
      const Passage passage = entry.gate->ask(entry.due);
      if (passage.when != Passage::When::now) return hold(id, passage, std::move(entry));
    }
    timers_.erase(id);
    ++turns_;
    running_ = entry.gate.get();
    entry.work();
    running_ = nullptr;
    if (check_) check_();
  }

  void hold(TimerId id, const Passage& passage, Entry entry) {
    switch (passage.when) {
      case Passage::When::later:
        timers_[id] = Key{passage.later, id};
        work_.emplace(timers_[id], std::move(entry));
        return;
      case Passage::When::parked: parked_[entry.gate.get()].emplace(id, std::move(entry)); return;
      case Passage::When::never:
      case Passage::When::now: timers_.erase(id); return;
    }
  }

  TimePoint now_ = from_unix_nanos(1'700'000'000'000'000'000);
  TimerId last_ = 0;
  uint64_t turns_ = 0;
  const Gate* running_ = nullptr;
  std::map<Key, Entry> work_;
  std::map<TimerId, Key> timers_;
  std::map<const Gate*, std::map<TimerId, Entry>> parked_;
  std::function<void()> check_;
};

}  // namespace muster::sim
