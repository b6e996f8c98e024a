// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_host.h"

namespace muster::sim {
namespace {

constexpr int64_t kMillion = 1'000'000;

}  // namespace

Duration HostClock::elapsed() const {
  const Duration passed = world_.now() - since_;
  return drift_ == 0 ? passed : passed + Duration(passed.count() / kMillion * drift_);
}

void HostClock::drift(int64_t parts_per_million) {
  const Duration passed = elapsed();
  boot_ += passed;
  wall_ += passed;
  since_ = world_.now();
  drift_ = parts_per_million;
}

void HostClock::suspend() {
  if (asleep_) return;
  asleep_ = true;
  asleep_since_ = boot();
}

void HostClock::wake() {
  if (!asleep_) return;
  slept_ += boot() - asleep_since_;
  asleep_ = false;
  woke_ = world_.now();
}

TimePoint HostLoop::true_time_of(TimePoint when) const {
  const Duration ahead = std::max(Duration(0), when - now());
  const int64_t drift = clock_.parts_per_million();
  // Rounded up, so that a timer is not armed again and again for the last nanosecond.
  return world_.now() +
         (drift == 0 ? ahead : ahead - Duration(ahead.count() / (kMillion + drift) * drift) + Duration(1));
}

TimerId HostLoop::at(TimePoint when, std::function<void()> work) {
  return world_.at(true_time_of(when), shared_from_this(), when, std::move(work));
}

SimLoop::Passage HostLoop::ask(TimePoint due) const {
  using When = SimLoop::Passage::When;
  if (dead_) return {When::never, {}};
  if (clock_.asleep()) return {When::parked, {}};
  if (busy_until_ > world_.now()) return {When::later, busy_until_};
  // The clock has become slower since the timer was armed.
  if (due > now()) return {When::later, true_time_of(due) + std::chrono::microseconds(1)};
  return {};
}

std::shared_ptr<HostLoop> SimHost::process(SimLoop& world, HostLoop::Counts counts, const std::string& what) {
  std::erase_if(loops_, [](const std::weak_ptr<HostLoop>& loop) { return loop.expired(); });
  auto loop = std::make_shared<HostLoop>(world, clock, counts, what);
  loops_.push_back(loop);
  return loop;
}

void SimHost::wake(SimLoop& world) {
  clock.wake();
  world.unpark(*kernel);
  for (const std::weak_ptr<HostLoop>& each : loops_) {
    if (const auto loop = each.lock()) world.unpark(*loop);
  }
}

}  // namespace muster::sim
