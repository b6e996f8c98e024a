#include "test/sim/sim_agents.h"

namespace muster::sim {
namespace {

// What a guardian takes to kill what its agent left.
constexpr Duration kGuardian = std::chrono::milliseconds(5);

}  // namespace

int64_t SimAgents::start(const NodeRef& node) {
  const int64_t guardian = ++last_;
  auto running = std::make_unique<Running>(Running{
      node, SimProcessHost(ports_.loop, ports_.processes, static_cast<uint64_t>(guardian)), nullptr, {}, nullptr});
  running->dialer = ports_.network.dialer(guardian);
  AgentSelf self;
  self.incarnation = random_.next() | 1;
  self.guardian = {guardian, 1};
  self.host = "here";
  running->agent = std::make_unique<Agent>(
      AgentPorts{ports_.loop, running->host, ports_.output, ports_.keeper, ports_.leases, *running->dialer,
                 running->door, ports_.log},
      self,
      [this, guardian] { ports_.loop.post([this, guardian] { gone(guardian, "exited with code 0", Duration(0)); }); });
  Agent& agent = *running->agent;
  agents_[guardian] = std::move(running);
  agent.start();
  return guardian;
}

void SimAgents::crash(int64_t guardian, const std::string& how) {
  // In a turn of its own: the agent may be running.
  ports_.loop.post([this, guardian, how] { gone(guardian, how, kGuardian); });
}

void SimAgents::drain(int64_t guardian, Duration grace) {
  const auto found = agents_.find(guardian);
  if (found != agents_.end() && found->second->agent) found->second->agent->drain(grace, "asked by a signal");
}

void SimAgents::gone(int64_t guardian, const std::string& how, Duration after) {
  const auto found = agents_.find(guardian);
  if (found == agents_.end() || !found->second->agent) return;
  found->second->agent.reset();
  ports_.loop.at(ports_.loop.now() + after, [this, guardian, how] {
    if (agents_.erase(guardian) == 0) return;
    ports_.processes.sweep(static_cast<uint64_t>(guardian), false);
    ended_(guardian, how);
  });
}

void SimAgents::power_off() {
  for (const auto& [guardian, running] : agents_) ports_.processes.sweep(static_cast<uint64_t>(guardian), false);
  agents_.clear();
}

std::map<int64_t, NodeRef> SimAgents::all() const {
  std::map<int64_t, NodeRef> all;
  for (const auto& [guardian, running] : agents_) {
    if (running->agent) all[guardian] = running->node;
  }
  return all;
}

std::optional<int64_t> SimAgents::of(NodeIndex node) const {
  std::optional<int64_t> newest;
  for (const auto& [guardian, of] : all()) {
    if (of.node == node) newest = guardian;
  }
  return newest;
}

}  // namespace muster::sim
