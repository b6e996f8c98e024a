// SPDX-License-Identifier: Apache-2.0
#include "test/sim/injector.h"

#include <csignal>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ULL;  // another draw from the same pick

}  // namespace

void Injector::inject(const Fault& fault) {
  if (!apply(fault)) return;
  ++applied_[fault.kind];
}

void Injector::tick() {
  if (!healed_ && !world_.has_controller() && world_.loop.now() >= controller_back_) world_.start_controller();
}

void Injector::later(Duration lasts, std::function<void()> undo) {
  world_.loop.at(world_.loop.now() + lasts, [this, undo = std::move(undo)] {
    if (!healed_) undo();
  });
}

bool Injector::apply(const Fault& fault) {
  world_.note("fault: " + to_text(fault));
  switch (fault.kind) {
    case FaultKind::rank_dies:
    case FaultKind::agent_dies:
    case FaultKind::agent_drained:
    case FaultKind::ports_taken: return apply_to_process(fault);
    case FaultKind::host_loses_power:
    case FaultKind::host_sleeps:
    case FaultKind::controller_host_sleeps: return apply_to_host(fault);
    case FaultKind::clock_drifts:
    case FaultKind::clock_jumps: return apply_to_clock(fault);
    case FaultKind::link_cut:
    case FaultKind::partition:
    case FaultKind::partition_one_way:
    case FaultKind::flapping:
    case FaultKind::messages_lost:
    case FaultKind::messages_doubled:
    case FaultKind::messages_overtaken:
    case FaultKind::network_slow: return apply_to_network(fault);
    case FaultKind::controller_dies:
    case FaultKind::controller_dies_at_line:
    case FaultKind::controller_leaves:
    case FaultKind::controller_host_loses_power:
    case FaultKind::second_controller: return apply_to_controller(fault);
    case FaultKind::disk_full:
    case FaultKind::disk_slow:
    case FaultKind::syncs_forgotten: return apply_to_disk(fault);
    case FaultKind::places_refused:
    case FaultKind::submit_repeated:
    case FaultKind::user_stops: return apply_to_user(fault);
  }
  return false;
}

bool Injector::kill_a_rank(uint64_t pick) {
  const auto& alive = world_.processes.alive();
  if (alive.empty()) return false;
  auto victim = alive.begin();
  std::advance(victim, pick % alive.size());
  const bool awake = !victim->second.host->clock.asleep();
  if (victim->second.daemon || !awake) return false;
  world_.processes.end(victim->first, killed_by(pick % 3 == 0 ? SIGBUS : SIGSEGV));
  return true;
}

std::optional<int64_t> Injector::an_agent(uint64_t pick) const {
  const std::map<int64_t, NodeRef> all = world_.agents.all();
  if (all.empty()) return std::nullopt;
  auto chosen = all.begin();
  std::advance(chosen, pick % all.size());
  return chosen->first;
}

bool Injector::apply_to_process(const Fault& fault) {
  if (fault.kind == FaultKind::rank_dies) return kill_a_rank(fault.pick);
  if (fault.kind == FaultKind::ports_taken) {
    SimLeases& leases = world_.hosts[a_host(fault.pick)].leases;
    leases.none_left = true;
    later(fault.lasts, [&leases] { leases.none_left = false; });
    return true;
  }
  const std::optional<int64_t> agent = an_agent(fault.pick);
  if (!agent || world_.hosts[world_.agents.host_of(*agent)].clock.asleep()) return false;
  if (fault.kind == FaultKind::agent_dies) {
    world_.agents.crash(*agent, "was killed by SIGKILL");
  } else {
    world_.agents.drain(*agent, milliseconds(fault.pick % 3000));
  }
  return true;
}

bool Injector::apply_to_host(const Fault& fault) {
  if (fault.kind == FaultKind::host_loses_power) return power_off(fault);
  return suspend(fault.kind == FaultKind::host_sleeps ? a_host(fault.pick) : 0, fault.lasts);
}

bool Injector::power_off(const Fault& fault) {
  const HostIndex host = a_host(fault.pick);
  if (!world_.hosts[host].on || world_.hosts[host].clock.asleep()) return false;
  world_.power_off(host);
  later(fault.lasts, [this, host] { world_.power_on(host); });
  return true;
}

bool Injector::suspend(HostIndex host, Duration lasts) {
  if (world_.hosts[host].clock.asleep()) return false;
  world_.suspend(host);
  later(lasts, [this, host] { world_.wake(host); });
  return true;
}

bool Injector::apply_to_clock(const Fault& fault) {
  const HostIndex host = static_cast<HostIndex>(fault.pick % world_.hosts.size());
  const auto drawn = static_cast<int64_t>((fault.pick * kOdd) % 401);
  if (fault.kind == FaultKind::clock_drifts) {
    world_.hosts[host].clock.drift(drawn - 200);
  } else {
    world_.hosts[host].clock.jump(seconds((drawn - 200) * 20));
  }
  return true;
}

bool Injector::apply_to_user(const Fault& fault) {
  const size_t job = fault.pick % plan_.jobs.size();
  switch (fault.kind) {
    case FaultKind::places_refused:
      world_.refuse_places(Status(Code::resource_exhausted, "no more"));
      later(fault.lasts, [this] { world_.refuse_places(Status()); });
      return true;
    case FaultKind::submit_repeated: repeat_(job); return true;
    default: break;
  }
  if (!world_.has_controller()) return false;
  const bool kill = (fault.pick * kOdd) % 3 == 0;
  world_.ask_controller([name = plan_.jobs[job].spec.name, kill](Controller& controller) {
    static_cast<void>(controller.stop(name, kill ? SIGKILL : SIGTERM, Duration(-1)));  // it may have ended
  });
  return true;
}

void Injector::heal() {
  healed_ = true;
  end_second_controller();
  world_.network.set_fates({});
  world_.network.set_longest_delay(plan_.longest_delay);
  world_.store.fail_with(Status());
  world_.store.slow_down(Duration(0));
  world_.store.forget_syncs(false);
  world_.refuse_places(Status());
  world_.crash_at_line(0, World::Moment::before_acting);
  for (HostIndex host = 0; host < world_.hosts.size(); ++host) {
    world_.hosts[host].leases.none_left = false;
    world_.wake(host);
    world_.power_on(host);
  }
  world_.network.unblock_all();
  world_.report_ended_agents();
  world_.loop.run_for(milliseconds(1));
  world_.start_controller();
}

}  // namespace muster::sim
