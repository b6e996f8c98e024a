// Injector: makes the faults of a plan happen in a world, and undoes them.
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
  // What only the story knows: submits a job of the plan again.
  using Repeat = std::function<void(size_t job)>;

  Injector(World& world, const StoryPlan& plan, Repeat repeat);
  ~Injector();

  void inject(const Fault& fault);
  // Now and then: a controller that is away too long is started.
  void tick();
  // All is well again, whatever was to last longer.
  void heal();

  // That really met somebody, by kind.
  const std::map<FaultKind, uint64_t>& met() const { return met_; }
  // Of a controller beside the first: what it must not do.
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  struct Rival;

  bool meet(const Fault& fault);
  bool meet_process(const Fault& fault);
  bool meet_host(const Fault& fault);
  bool meet_clock(const Fault& fault);
  bool meet_network(const Fault& fault);
  bool meet_controller(const Fault& fault);
  bool meet_disk(const Fault& fault);
  bool meet_user(const Fault& fault);

  bool kill_a_rank(uint64_t pick);
  std::optional<int64_t> an_agent(uint64_t pick) const;
  HostIndex a_host(uint64_t pick) const { return 1 + static_cast<HostIndex>(pick % plan_.hosts); }
  bool partition(const Fault& fault, std::vector<Way> ways);
  bool flap(const Fault& fault);
  bool fates(const Fault& fault, LevelFates fates);
  bool power_off(const Fault& fault);
  bool suspend(HostIndex host, Duration lasts);
  bool lose_controller(Duration away, bool power);
  bool start_rival(Duration lasts);
  void end_rival();
  // Undone after `lasts`, or by heal().
  void later(Duration lasts, std::function<void()> undo);

  World& world_;
  const StoryPlan& plan_;
  Repeat repeat_;
  bool healed_ = false;
  TimePoint controller_back_;  // not before
  std::unique_ptr<Rival> rival_;
  std::map<FaultKind, uint64_t> met_;
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
