// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_agents.h"

#include "core/node/torch_store/torch_store_service.h"

namespace muster::sim {
namespace {

// The time that a guardian needs to kill its agent's processes.
constexpr Duration kGuardian = std::chrono::milliseconds(5);

}  // namespace

int64_t SimAgents::start(const NodeRef& node, HostIndex at, SimHost& host) {
  const int64_t guardian = ++last_;
  places_[guardian] = at;
  const auto loop = host.process(ports_.loop, HostLoop::Counts::boot, host.name + "/agent-" + std::to_string(guardian));
  auto running =
      std::make_unique<Running>(Running{node,
                                        loop,
                                        host,
                                        SimProcessHost(loop, ports_.processes, host, static_cast<uint64_t>(guardian)),
                                        nullptr,
                                        {},
                                        {},
                                        {},
                                        nullptr});
  running->dialer = ports_.network.dialer(guardian, at, loop);
  AgentSelf self;
  self.incarnation = random_.next() | 1;
  self.guardian = {guardian, 1};
  self.host = host.name;
  self.patience = ports_.patience;
  if (ports_.pods) self.pod = PodSelf{.index = node.node};
  running->agent = std::make_unique<Agent>(
      AgentPorts{*loop, running->host, running->host, ports_.shares_files ? ports_.output : host.output,
                 ports_.shares_files ? ports_.keeper : host.keeper, host.leases, *running->dialer, running->door,
                 host.probe, running->execs, running->timers, host.setups, host.containers, ports_.log,
                 [this, &host, loop] { return services(host, *loop); }},
      self, [this, guardian](bool) {
        ports_.loop.post([this, guardian] { gone(guardian, "exited with code 0", Duration(0)); });
      });
  agents_[guardian] = std::move(running);
  loop->post([this, guardian] {
    const auto found = agents_.find(guardian);
    if (found != agents_.end() && found->second->agent) found->second->agent->start();
  });
  return guardian;
}

// Ranks are executed in simulations, so there is no warm parent.
NodeServiceList SimAgents::services(SimHost& host, Loop& loop) {
  NodeServiceList list;
  list.push_back(std::make_unique<TorchStoreService>(TorchStorePorts{loop, host.stores, ports_.log}, host.name));
  host.add_services(list, loop);
  return list;
}

void SimAgents::crash(int64_t guardian, const std::string& how) {
  // In a turn of its own: the agent may be running.
  ports_.loop.post([this, guardian, how] { gone(guardian, how, kGuardian); });
}

void SimAgents::drain(int64_t guardian, Duration grace) {
  const auto found = agents_.find(guardian);
  if (found == agents_.end() || !found->second->agent) return;
  Agent& agent = *found->second->agent;
  ports_.pods ? agent.drain_as_stopped(grace, "asked by a signal") : agent.drain(grace, "asked by a signal");
}

void SimAgents::gone(int64_t guardian, const std::string& how, Duration after) {
  const auto found = agents_.find(guardian);
  if (found == agents_.end() || !found->second->agent) return;
  found->second->agent.reset();
  found->second->loop->die();
  HostLoop& kernel = *found->second->machine.kernel;
  kernel.at(kernel.now() + after, [this, guardian, how] {
    if (agents_.erase(guardian) == 0) return;
    ports_.processes.end_all(static_cast<uint64_t>(guardian));
    ended_(guardian, how);
  });
}

void SimAgents::power_off() {
  for (const auto& [guardian, running] : agents_) {
    running->loop->die();
    ports_.processes.end_all(static_cast<uint64_t>(guardian));
  }
  agents_.clear();
}

std::vector<int64_t> SimAgents::power_off(HostIndex host) {
  std::vector<int64_t> dead;
  for (const auto& [guardian, running] : agents_) {
    if (places_.at(guardian) == host) dead.push_back(guardian);
  }
  for (const int64_t guardian : dead) {
    ports_.network.vanish(guardian);
    agents_.at(guardian)->loop->die();
    ports_.processes.end_all(static_cast<uint64_t>(guardian));
    agents_.erase(guardian);
  }
  return dead;
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
