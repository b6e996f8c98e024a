// SPDX-License-Identifier: Apache-2.0
// LocalBackend: starts agents as processes of this machine; they connect to the controller's socket. `nodes: N` starts N agents on this
// machine and divides its devices among them.
//
// An agent is identified by its guardian process: the guardian in its hello must be a process that this backend started. A node has
// ended when the agent and its guardian have both ended. If one of them dies, the other ends the ranks first. Ranks, restarts and
// output belong to other classes. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/local/machine_room.h"
#include "backends/local/waiting_agents.h"
#include "core/port/backend.h"
#include "core/port/loop.h"
#include "core/port/machine_info.h"
#include "core/port/process_host.h"

namespace muster {

struct LocalBackendPorts {
  Loop& loop;
  ProcessHost& host;
  MachineInfo& machine;
  MachineLeases& leases;
};

struct LocalAgentCommand {
  std::vector<std::string> argv;         // `muster agent --socket PATH`
  std::vector<std::string> environment;  // of agents, not of ranks
  bool dies_with_us = false;             // agents end with this process (--standalone)
  Duration longest_wait{0};              // of an agent for its next job; 0: no limit
  // Removes the files of an agent that was killed together with its guardian. Called when no process of it runs.
  std::function<void()> clear_after_crash = [] {};
};

class LocalBackend final : public AgentPlacement,
                           public Planning,
                           public Claims,
                           public MachineSharing,
                           public AgentProcesses,
                           public IdleAgents {
 public:
  LocalBackend(LocalBackendPorts ports, LocalAgentCommand command);
  ~LocalBackend() override;

  Backend parts();

  // An agent has connected and has no node yet. If no placement waits for it, it is dismissed.
  void agent_arrived(ArrivedAgent agent);

  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef& node, const std::string& token) override;
  void end(const NodeRef& node) override;
  void release(const NodeRef& node) override;
  std::string address(const NodeRef&) const override { return "127.0.0.1"; }
  std::string loopback(const NodeRef&) const override { return ports_.machine.loopback(); }
  void on_lost(std::function<void(const NodeRef&, const std::string&)> handler) override { lost_ = std::move(handler); }

  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) override {
    return room_.plan(spec, held, origin);
  }
  Room room(bool gpus) override { return room_.room(gpus); }
  Status claim(const JobOnNodes& claimed) override;
  void unclaim(const JobId& job) override;

  std::optional<int64_t> stopped_agent(const NodeRef& node) const override;
  void resume(const NodeRef& node) override;

  std::vector<IdleAgent> idle_agents() const override { return waiting_.idle_agents(); }
  uint32_t end_idle_agents() override;

 private:
  struct Node {
    ProcessHandle watched = 0;  // the guardian; the agent if the guardian died first
    ProcessIdentity guardian;
    ProcessIdentity agent;                          // set when the agent has reported
    bool in_order = false;                          // the guardian exited by itself: no process is left
    std::function<void(Result<PlacedAgent>)> done;  // null once the agent has reported
    TimerId kill_timer = 0;                         // set by release()
    bool released = false;
    bool unwanted = false;  // after release: dismiss the agent when it comes back
  };

  using Start = std::function<Result<ProcessHandle>(ExitHandler)>;
  using Ended = std::function<void(const NodeRef&, const ExitStatus&)>;

  static std::string token_of(const Node& node);
  bool keeps_agents() const { return !command_.dies_with_us; }
  void agent_returned(ArrivedAgent agent);
  bool place_waiting(const NodeRef& node, const std::function<void(Result<PlacedAgent>)>& done);
  Status watch(const NodeRef& node, const Start& start, Ended ended);
  bool watch(const NodeRef& node, const ProcessIdentity& process, std::function<void(const NodeRef&)> ended);
  void guardian_ended(const NodeRef& node, const std::string& how);
  void node_ended(const NodeRef& node, const std::string& how);
  void node_gone(const NodeRef& node, const std::string& how);

  LocalBackendPorts ports_;
  const LocalAgentCommand command_;
  MachineRoom room_;
  WaitingAgents waiting_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::map<NodeRef, Node> nodes_;
  std::set<JobId> warm_;  // claimed jobs whose ranks start from a warm parent
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
