// SPDX-License-Identifier: Apache-2.0
// Faults of the network, the controller and its disk.

#include "test/sim/injector.h"

namespace muster::sim {
namespace {

using std::chrono::milliseconds;

// Time for which the connection of a flapping host is blocked, and then free.
constexpr Duration kFlap = milliseconds(1700);

}  // namespace

// Another controller on the same store. It must not take jobs of the first, so its backend must never be called.
struct Injector::SecondController {
  SecondController(World& world, std::vector<std::string>& breaches)
      : loop(world.hosts[0].process(world.loop, HostLoop::Counts::monotonic, "second controller")),
        session(world.store, UINT64_MAX, loop),
        backend(*loop, Inventory{}, hands(breaches)),
        controller({*loop, Backends(backend.parts()), session, world.output, world.keeper, world.log}, ControllerSelf{},
                   [] {}) {
    controller.recover();
  }
  ~SecondController() { loop->die(); }

  static FakeAgents hands(std::vector<std::string>& breaches) {
    return {[&breaches](const NodeRef&) -> Result<int64_t> {
              breaches.emplace_back("a second controller placed an agent");
              return Status(Code::unavailable, "no");
            },
            [](int64_t) { return true; },
            [&breaches](int64_t) { breaches.emplace_back("a second controller ended an agent"); }};
  }

  std::shared_ptr<HostLoop> loop;
  SimStoreSession session;
  FakeBackend backend;
  Controller controller;
};

Injector::Injector(World& world, const StoryPlan& plan, Repeat repeat)
    : world_(world),
      plan_(plan),
      repeat_(std::move(repeat)) {}
Injector::~Injector() = default;

void Injector::end_second_controller() { second_controller_.reset(); }

bool Injector::start_second_controller(Duration lasts) {
  if (!world_.has_controller() || world_.hosts[0].clock.asleep() || second_controller_) return false;
  second_controller_ = std::make_unique<SecondController>(world_, breaches_);
  later(lasts, [this] { second_controller_.reset(); });
  return true;
}

bool Injector::apply_to_network(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::link_cut: {
      const std::optional<int64_t> agent = an_agent(fault.pick);
      if (agent) world_.network.cut(*agent);
      return agent.has_value();
    }
    case FaultKind::partition: return partition(fault, {Way::to_agent, Way::to_coordinator});
    case FaultKind::partition_one_way:
      return partition(fault, {(fault.pick >> 32) % 2 == 0 ? Way::to_agent : Way::to_coordinator});
    case FaultKind::flapping: return flap(fault);
    case FaultKind::messages_lost: return fates(fault, {static_cast<uint32_t>(50 + fault.pick % 500), 0, 0});
    case FaultKind::messages_doubled: return fates(fault, {0, 300, 0});
    case FaultKind::messages_overtaken: return fates(fault, {0, 100, 300});
    default: break;
  }
  world_.network.set_longest_delay(milliseconds(fault.pick % 3000));
  later(fault.lasts, [this] { world_.network.set_longest_delay(plan_.longest_delay); });
  return true;
}

// Applies to a random half of the hosts, at least one.
bool Injector::partition(const Fault& fault, std::vector<Way> ways) {
  std::vector<HostIndex> apart;
  for (HostIndex host = 1; host <= plan_.hosts; ++host) {
    if ((fault.pick >> host) % 2 == 0) apart.push_back(host);
  }
  if (apart.empty()) apart.push_back(a_host(fault.pick));
  for (const HostIndex host : apart) {
    for (const Way way : ways) world_.network.block(host, way);
  }
  later(fault.lasts, [this, apart, ways] {
    for (const HostIndex host : apart) {
      for (const Way way : ways) world_.network.unblock(host, way);
    }
    world_.report_ended_agents();
  });
  return true;
}

bool Injector::flap(const Fault& fault) {
  for (Duration from{0}; from < fault.lasts; from += 2 * kFlap) {
    later(from, [this, fault] {
      Fault once = fault;
      once.lasts = kFlap;
      partition(once, {Way::to_agent, Way::to_coordinator});
    });
  }
  return true;
}

bool Injector::fates(const Fault& fault, LevelFates fates) {
  world_.network.set_fates(fates);
  later(fault.lasts, [this] { world_.network.set_fates({}); });
  return true;
}

bool Injector::apply_to_controller(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::controller_dies: return lose_controller(fault.lasts, false);
    case FaultKind::controller_host_loses_power: return lose_controller(fault.lasts, true);
    case FaultKind::second_controller: return start_second_controller(fault.lasts);
    case FaultKind::controller_leaves:
      world_.ask_controller([](Controller& controller) { static_cast<void>(controller.shutdown(true)); });
      break;
    default: world_.crash_at_line(1 + fault.pick % 6, static_cast<World::Moment>((fault.pick >> 8) % 2)); break;
  }
  if (!world_.has_controller()) return false;
  controller_back_ = world_.loop.now() + fault.lasts;
  return true;
}

bool Injector::lose_controller(Duration away, bool power) {
  if (!world_.has_controller()) return false;
  end_second_controller();
  if (power) {
    world_.cut_controller_power();
  } else {
    world_.crash_controller();
  }
  controller_back_ = world_.loop.now() + away;
  return true;
}

bool Injector::apply_to_disk(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::disk_full:
      world_.store.fail_with(Status(Code::resource_exhausted, "full"));
      later(fault.lasts, [this] { world_.store.fail_with(Status()); });
      return true;
    case FaultKind::disk_slow:
      world_.store.slow_down(milliseconds(fault.pick % 4000));
      later(fault.lasts, [this] { world_.store.slow_down(Duration(0)); });
      return true;
    default: break;
  }
  world_.store.forget_syncs(true);
  later(fault.lasts, [this] { world_.store.forget_syncs(false); });
  return true;
}

}  // namespace muster::sim
