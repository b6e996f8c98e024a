// SPDX-License-Identifier: Apache-2.0
// SimAgents: many instances of the real Agent, each with simulated ports and a guardian that ends with it.
//
// The guardian's number identifies an agent. When an agent ends in any way, its processes end a moment later, and then its
// end is reported.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/agent/agent.h"
#include "core/port/backend.h"
#include "test/sim/sim_network.h"
#include "test/sim/sim_ports.h"
#include "test/sim/sim_processes.h"

namespace muster::sim {

struct SimAgentPorts {
  SimLoop& loop;
  SimProcesses& processes;
  SimNetwork& network;
  SimOutput& output;
  SimKeeper& keeper;
  SimLog& log;
  bool shares_files = true;  // false: each host has its own files
  bool pods = false;         // an agent of a pod: it waits for its coordinator, and reports that it is taken
  Duration patience{0};      // AgentSelf::patience
};

class SimAgents {
 public:
  using Ended = std::function<void(int64_t guardian, const std::string& how)>;

  // `ended` runs when no process of the agent is alive any more.
  SimAgents(SimAgentPorts ports, uint64_t seed, Ended ended) : ports_(ports), random_(seed), ended_(std::move(ended)) {}

  int64_t start(const NodeRef& node, HostIndex at, SimHost& host);
  bool alive(int64_t guardian) const { return agents_.count(guardian) > 0; }
  // The host on which it was started, even if it has ended; an agent that a test plays is on the first host.
  HostIndex host_of(int64_t guardian) const { return places_.count(guardian) > 0 ? places_.at(guardian) : 0; }
  void crash(int64_t guardian, const std::string& how);
  void drain(int64_t guardian, Duration grace);
  // Ends all agents at once, with all their processes; nothing is reported.
  void power_off();
  // The same for one host. Returns its guardians; their ends are reported when the host is back.
  std::vector<int64_t> power_off(HostIndex host);

  // Guardians of live agents, oldest first, with the node each was started for.
  std::map<int64_t, NodeRef> all() const;
  SimDoor& door(int64_t guardian) { return agents_.at(guardian)->door; }
  SimTimers& timers(int64_t guardian) { return agents_.at(guardian)->timers; }
  // The newest live agent of a node.
  std::optional<int64_t> of(NodeIndex node) const;

 private:
  struct Running {
    NodeRef node;
    std::shared_ptr<HostLoop> loop;
    SimHost& machine;
    SimProcessHost host;
    std::unique_ptr<CoordinatorDialer> dialer;
    SimDoor door;
    SimTimers timers;
    SimExecs execs;
    std::unique_ptr<Agent> agent;  // null: it has ended, but not its processes
  };

  NodeServiceList services(SimHost& host, Loop& loop);
  void gone(int64_t guardian, const std::string& how, Duration after);

  SimAgentPorts ports_;
  Random random_;
  Ended ended_;
  int64_t last_ = 0;
  std::map<int64_t, std::unique_ptr<Running>> agents_;
  std::map<int64_t, HostIndex> places_;  // of all agents ever started
};

}  // namespace muster::sim
