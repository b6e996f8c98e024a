// SPDX-License-Identifier: Apache-2.0
// SimHost: a machine of a simulated world: clocks that drift, jump and sleep, devices, and the loops of the processes
// on it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/node_service.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_ports.h"
#include "test/sim/sim_stores.h"

namespace muster::sim {

// The clocks of a machine, in addition to the true time of its SimLoop. The boot clock counts while the machine sleeps, the
// monotonic clock does not.
class HostClock {
 public:
  explicit HostClock(const SimLoop& world) : world_(world), since_(world.now()), wall_(since_) {}

  Duration boot() const { return boot_ + elapsed(); }
  Duration monotonic() const { return boot() - slept_ - (asleep_ ? boot() - asleep_since_ : Duration(0)); }
  TimePoint wall() const { return wall_ + elapsed(); }
  int64_t parts_per_million() const { return drift_; }
  bool asleep() const { return asleep_; }
  TimePoint woke() const { return woke_; }  // true time; the epoch if it never slept

  // From now on the clocks are faster by so many parts per million, or slower if negative.
  void drift(int64_t parts_per_million);
  void jump(Duration by) { wall_ += by; }  // the wall clock only
  void suspend();
  void wake();

 private:
  Duration elapsed() const;

  const SimLoop& world_;
  TimePoint since_;  // true time of the last change
  int64_t drift_ = 0;
  Duration boot_{0};
  TimePoint wall_;
  bool asleep_ = false;
  Duration asleep_since_{0};  // by boot_
  Duration slept_{0};
  TimePoint woke_;
};

// The Loop of one process on a host. It reads the wall clock once, then uses one of the other clocks, as AsioLoop does. Its work does
// not run while its host sleeps, while it is busy, or after its death.
class HostLoop final : public Loop, public SimLoop::Gate, public std::enable_shared_from_this<HostLoop> {
 public:
  enum class Counts { boot, monotonic };

  HostLoop(SimLoop& world, const HostClock& clock, Counts counts, std::string name)
      : world_(world),
        clock_(clock),
        counts_(counts),
        name_(std::move(name)),
        began_(clock.wall() - reading()) {}

  TimePoint now() const override { return began_ + reading(); }
  void post(std::function<void()> work) override { at_true(world_.now(), std::move(work)); }
  TimerId at(TimePoint when, std::function<void()> work) override;
  void cancel(TimerId timer) override { world_.cancel(timer); }
  // Runs work at a true time: events from outside.
  TimerId at_true(TimePoint when, std::function<void()> work) {
    return world_.at(when, shared_from_this(), TimePoint(), std::move(work));
  }

  // The process blocks, as in a slow fsync.
  void busy_for(Duration duration) { busy_until_ = std::max(busy_until_, world_.now() + duration); }
  void die() { dead_ = true; }
  bool dead() const { return dead_; }

  SimLoop::Passage ask(TimePoint due) const override;
  const std::string& name() const override { return name_; }

 private:
  Duration reading() const { return counts_ == Counts::boot ? clock_.boot() : clock_.monotonic(); }
  TimePoint true_time_of(TimePoint when) const;

  SimLoop& world_;
  const HostClock& clock_;
  const Counts counts_;
  const std::string name_;
  const TimePoint began_;
  TimePoint busy_until_;
  bool dead_ = false;
};

using HostIndex = uint32_t;

struct SimHost {
  SimHost(SimLoop& world, std::string called)
      : name(std::move(called)),
        clock(world),
        kernel(std::make_shared<HostLoop>(world, clock, HostLoop::Counts::monotonic, name)) {}

  std::shared_ptr<HostLoop> process(SimLoop& world, HostLoop::Counts counts, const std::string& what);
  // While the host sleeps, nothing on it runs, ranks included.
  void suspend() { clock.suspend(); }
  void wake(SimLoop& world);

  const std::string name;
  HostClock clock;
  SimLeases leases;
  SimStores stores;
  // Adds services beside the store, for agents that start on this host from now on.
  std::function<void(NodeServiceList& list, Loop& loop)> add_services = [](NodeServiceList&, Loop&) {};
  SimSetups setups;
  SimContainers containers;
  SimProbe probe;
  SimOutput output;  // if the hosts share no files
  SimKeeper keeper{output};
  bool on = true;
  std::shared_ptr<HostLoop> kernel;  // runs the processes

 private:
  std::vector<std::weak_ptr<HostLoop>> loops_;
};

}  // namespace muster::sim
