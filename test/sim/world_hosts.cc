// SPDX-License-Identifier: Apache-2.0
// The hosts of a World: where agents are placed, and what the controller is told about them.

#include "test/sim/world.h"

namespace muster::sim {

FakeAgents World::hands() {
  return {[this](const NodeRef& node) -> Result<int64_t> {
            if (!refuse_places_.ok()) return refuse_places_;
            return placed_ ? placed_(node) : start_agent(node);
          },
          // An end that has not been reported counts as alive.
          [this](int64_t guardian) { return agents.alive(guardian) || unreported_ends_.count(guardian) > 0; },
          [this](int64_t guardian) { end_agent(guardian); }};
}

Result<int64_t> World::start_agent(const NodeRef& node) {
  const std::optional<HostIndex> host = host_for(node);
  if (!host) return Status(Code::unavailable, "no host answers");
  const int64_t guardian = agents.start(node, *host, hosts[*host]);
  note("agent " + std::to_string(guardian) + " starts on " + hosts[*host].name);
  return guardian;
}

// With fixed hosts a node has one host, whether it answers or not; otherwise it gets the next host that answers.
std::optional<HostIndex> World::host_for(const NodeRef& node) {
  if (options_.hosts == 0) return 0;
  const auto first =
      static_cast<uint32_t>(options_.fixed_hosts ? node.job.text().front() : random_.next() % options_.hosts);
  for (uint32_t i = 0; i < options_.hosts; ++i) {
    const HostIndex host = 1 + (first + node.node + i) % options_.hosts;
    if (answers(host)) return host;
    if (options_.fixed_hosts) return std::nullopt;
  }
  return std::nullopt;
}

void World::end_agent(int64_t guardian) {
  if (answers(agents.host_of(guardian))) return agents.crash(guardian, "was killed by SIGKILL");
  to_kill_.insert(guardian);
}

void World::agent_ended(int64_t guardian, const std::string& how) {
  note("agent " + std::to_string(guardian) + " " + how);
  if (!answers(agents.host_of(guardian))) {
    unreported_ends_[guardian] = how;
  } else if (backend_) {
    backend_->guardian_ended(guardian, how);
  }
}

void World::report_ended_agents() {
  for (auto next = unreported_ends_.begin(); next != unreported_ends_.end();) {
    const auto news = next++;
    if (!answers(agents.host_of(news->first))) continue;
    const auto told = unreported_ends_.extract(news);
    if (backend_) backend_->guardian_ended(told.key(), told.mapped());
  }
  for (auto next = to_kill_.begin(); next != to_kill_.end();) {
    const auto doomed = next++;
    if (!answers(agents.host_of(*doomed))) continue;
    agents.crash(*doomed, "was killed by SIGKILL");
    to_kill_.erase(doomed);
  }
}

void World::power_off(HostIndex host) {
  if (!hosts[host].on) return;
  note(hosts[host].name + " loses its power");
  hosts[host].on = false;
  for (const Way way : {Way::to_agent, Way::to_coordinator}) network.block(host, way);
  for (const int64_t guardian : agents.power_off(host)) unreported_ends_[guardian] = "died with its host";
}

void World::power_on(HostIndex host) {
  if (hosts[host].on) return;
  note(hosts[host].name + " is back");
  hosts[host].on = true;
  for (const Way way : {Way::to_agent, Way::to_coordinator}) network.unblock(host, way);
  report_ended_agents();
}

void World::wake(HostIndex host) {
  if (!hosts[host].clock.asleep()) return;
  note(hosts[host].name + " wakes");
  hosts[host].wake(loop);
  loop.at(loop.now() + kWaking + Duration(1), [this] { invariants_.host_woke(loop.now(), processes, store); });
}

void World::ask_controller(std::function<void(Controller&)> work) {
  if (!has_controller()) return;
  controller_loop_->post([this, work = std::move(work)] { work(*controller_); });
}

bool World::quiet() const {
  const bool free = std::all_of(hosts.begin(), hosts.end(), [](const SimHost& host) {
    return host.leases.held().empty() && host.stores.ports().empty();
  });
  return free && processes.alive().empty() && agents.all().empty();
}

}  // namespace muster::sim
