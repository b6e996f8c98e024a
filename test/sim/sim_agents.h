// SimAgents: the real Agent, many times, each with simulated ports and a guardian that ends with it.
//
// A guardian's number names an agent. When an agent dies, however it dies, its processes die a moment later, and only
// then is its end told.
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
  bool shares_files = true;  // false: each host has its own
  bool pods = false;         // as a pod's agent it waits for its coordinator, and says that it is taken
};

class SimAgents {
 public:
  using Ended = std::function<void(int64_t guardian, const std::string& how)>;

  // `ended`: nothing of the agent is alive any more.
  SimAgents(SimAgentPorts ports, uint64_t seed, Ended ended) : ports_(ports), random_(seed), ended_(std::move(ended)) {}

  int64_t start(const NodeRef& node, HostIndex at, SimHost& host);
  bool alive(int64_t guardian) const { return agents_.count(guardian) > 0; }
  // Where it was started, dead or alive; one that a test plays is on the first host.
  HostIndex host_of(int64_t guardian) const { return places_.count(guardian) > 0 ? places_.at(guardian) : 0; }
  void crash(int64_t guardian, const std::string& how);
  void drain(int64_t guardian, Duration grace);
  // All at once, with everything they run; nobody is told.
  void power_off();
  // The same of one host: its guardians are told dead when it is back.
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
    std::unique_ptr<Agent> agent;  // null: dead, its processes not yet
  };

  NodeServiceList services(SimHost& host, Loop& loop);
  void gone(int64_t guardian, const std::string& how, Duration after);

  SimAgentPorts ports_;
  Random random_;
  Ended ended_;
  int64_t last_ = 0;
  std::map<int64_t, std::unique_ptr<Running>> agents_;
  std::map<int64_t, HostIndex> places_;  // of all there ever were
};

}  // namespace muster::sim
