// SPDX-License-Identifier: Apache-2.0
// Thousands of random histories of a worker, with the properties that must hold in each.

#include <csignal>
#include <optional>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/machine/worker/worker.h"

namespace muster::worker {
namespace {

using std::chrono::seconds;

struct Happened {
  TimePoint when;
  Event event;
};

// One history: random events, timers that fire when they are due, and a model of the expected signals.
class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 30; ++i) {
      advance(now_ + seconds(random_.below(4)));
      apply(any_event());
    }
    advance(now_ + seconds(100));
  }

  void expect_same_replay() const {
    State state;
    for (const Happened& happened : journal_) state = step(std::move(state), happened.when, happened.event).next;
    EXPECT_EQ(state, state_);
  }

  void expect_sane() const {
    EXPECT_LE(spawns_, 1);
    EXPECT_LE(terms_, 1);
    EXPECT_LE(kills_, 1);
    const bool outlived = state_.phase == Phase::stopping && state_.spawned && kills_ == 0;
    EXPECT_FALSE(outlived) << "its grace";
  }

 private:
  Event any_event() {
    switch (random_.below(12)) {
      case 0:
      case 1: return Start{};
      case 2: return spawns_ == 1 ? Event{Spawned{}} : Event{Start{}};
      case 3: return spawns_ == 1 && random_.below(4) == 0 ? Event{SpawnFailed{}} : Event{TimerFired{}};
      case 4: return spawned_ && random_.below(3) == 0 ? Event{Exited{}} : Event{Start{}};
      case 5: return TimerFired{};
      case 6: return Stop{seconds(random_.below(20))};
      default: return Spawned{};
    }
  }

  void advance(TimePoint until) {
    while (armed_ && *armed_ <= until) {
      now_ = *armed_;
      armed_.reset();
      apply(TimerFired{});
    }
    now_ = until;
  }

  // Keeps the time of the earliest SIGKILL that any Stop so far requires.
  void note_stop(const Event& event) {
    const auto* stop = std::get_if<Stop>(&event);
    if (stop == nullptr || state_.phase == Phase::exited) return;
    const TimePoint due = now_ + stop->grace;
    if (!kill_due_ || due < *kill_due_) kill_due_ = due;
  }

  void apply(const Event& event) {
    note_stop(event);
    if (std::holds_alternative<Spawned>(event) && spawns_ == 1 && state_.phase != Phase::exited) note_spawned();
    const bool was_exited = state_.phase == Phase::exited;
    const State before = state_;
    journal_.push_back({now_, event});
    const Step result = step(state_, now_, event);
    state_ = result.next;
    const bool unchanged = before == state_ && result.actions.empty();
    EXPECT_TRUE(unchanged || !was_exited) << "exited is final";
    for (const Action& action : result.actions) apply_action(action);
  }

  void note_spawned() {
    if (spawned_) return;
    spawned_ = true;
    spawned_at_ = now_;
  }

  void apply_action(const Action& action) {
    if (std::holds_alternative<Spawn>(action)) ++spawns_;
    if (const auto* arm = std::get_if<ArmTimer>(&action)) armed_ = arm->at;
    if (const auto* signal = std::get_if<Signal>(&action)) apply_action(*signal);
  }

  void apply_action(const Signal& signal) {
    EXPECT_TRUE(spawned_) << "no process exists to signal";
    EXPECT_NE(state_.phase, Phase::exited);
    ASSERT_TRUE(kill_due_) << "no stop was requested";
    if (signal.number == SIGTERM) {
      ++terms_;
      EXPECT_EQ(kills_, 0);
    } else {
      ++kills_;
      EXPECT_EQ(now_, std::max(*kill_due_, spawned_at_)) << "SIGKILL follows the first Stop's SIGTERM by the grace";
    }
  }

  Random random_;
  State state_;
  TimePoint now_;
  std::optional<TimePoint> armed_;
  std::optional<TimePoint> kill_due_;
  bool spawned_ = false;
  TimePoint spawned_at_;
  int spawns_ = 0;
  int terms_ = 0;
  int kills_ = 0;
  std::vector<Happened> journal_;
};

TEST(WorkerProperty, RandomHistories) {
  for (uint64_t seed = 0; seed < 5000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History history(seed);
    history.run();
    history.expect_sane();
    history.expect_same_replay();
  }
}

}  // namespace
}  // namespace muster::worker
