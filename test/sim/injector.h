// SPDX-License-Identifier: Apache-2.0
// Injector: applies the faults of a plan to a world, and undoes them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "test/sim/story_plan.h"
#include "test/sim/world.h"

namespace muster::sim {

class Injector {
 public:
  // Submits a job of the plan again; the story provides it.
  using Repeat = std::function<void(size_t job)>;

  Injector(World& world, const StoryPlan& plan, Repeat repeat);
  ~Injector();

  void inject(const Fault& fault);
  // Call it regularly: starts a controller that has been away for long enough.
  void tick();
  // Undoes all faults at once.
  void heal();

  // Number of faults that had a target, by kind.
  const std::map<FaultKind, uint64_t>& applied() const { return applied_; }
  // Forbidden actions of a second controller.
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  struct SecondController;

  bool apply(const Fault& fault);
  bool apply_to_process(const Fault& fault);
  bool apply_to_host(const Fault& fault);
  bool apply_to_clock(const Fault& fault);
  bool apply_to_network(const Fault& fault);
  bool apply_to_controller(const Fault& fault);
  bool apply_to_disk(const Fault& fault);
  bool apply_to_user(const Fault& fault);

  bool kill_a_rank(uint64_t pick);
  std::optional<int64_t> an_agent(uint64_t pick) const;
  HostIndex a_host(uint64_t pick) const { return 1 + static_cast<HostIndex>(pick % plan_.hosts); }
  bool partition(const Fault& fault, std::vector<Way> ways);
  bool flap(const Fault& fault);
  bool fates(const Fault& fault, LevelFates fates);
  bool power_off(const Fault& fault);
  bool suspend(HostIndex host, Duration lasts);
  bool lose_controller(Duration away, bool power);
  bool start_second_controller(Duration lasts);
  void end_second_controller();
  // Runs `undo` after `lasts`, unless heal() did that earlier.
  void later(Duration lasts, std::function<void()> undo);

  World& world_;
  const StoryPlan& plan_;
  Repeat repeat_;
  bool healed_ = false;
  TimePoint controller_back_;  // earliest start of the next controller
  std::unique_ptr<SecondController> second_controller_;
  std::map<FaultKind, uint64_t> applied_;
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
