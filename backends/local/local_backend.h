// The local backend: agents are processes of this machine that dial the controller's own socket. `nodes: N` gives N
// agents here, with the machine's devices divided among them.
//
// Not concerned with ranks, restarts or output. An agent is told apart by its guardian's process: what the agent says
// of it in its hello must be a process that was started here. A node has ended when both have: whichever of the two
// dies, the other first ends the ranks. Loop thread only.
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
  bool dies_with_us = false;             // --standalone
  // An agent that was killed together with its guardian removed nothing: called when no process of it lives.
  std::function<void()> clear_after_crash = [] {};
};

class LocalBackend final : public AgentPlacement,
                           public Planning,
                           public Claims,
                           public MachineSharing,
                           public IdleAgents {
 public:
  LocalBackend(LocalBackendPorts ports, LocalAgentCommand command);
  ~LocalBackend() override;

  Backend parts();

  // A new agent said hello unbound. One that nobody placed is sent away.
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

  std::vector<IdleAgent> idle_agents() const override { return waiting_.idle_agents(); }
  uint32_t end_idle_agents() override;

 private:
  struct Node {
    ProcessHandle watched = 0;  // the guardian; when that died before it, the agent
    ProcessIdentity guardian;
    ProcessIdentity agent;                          // once it said hello
    bool in_order = false;                          // the guardian ended by itself: nothing was left
    std::function<void(Result<PlacedAgent>)> done;  // until the agent said hello
    TimerId kill_timer = 0;                         // once released
    bool released = false;
    bool unwanted = false;  // once released: it need not come back
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
  std::set<JobId> warm_;  // claimed jobs whose ranks begin warm
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
