// SPDX-License-Identifier: Apache-2.0
// FakeBackend: a backend for tests. Its machine is an Inventory; the test provides the agents through FakeAgents: scripted ones in the
// conformance suite, real Agent objects in test/sim.
//
// As in the local backend, an agent is identified by its guardian: its hello must name a guardian that was started here. Loop thread
// only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/port/backend.h"
#include "core/port/loop.h"

namespace muster {

// Functions of the test. A guardian's number is never reused.
struct FakeAgents {
  std::function<Result<int64_t>(const NodeRef& node)> start;  // starts an agent and returns its guardian's number
  std::function<bool(int64_t guardian)> alive;
  std::function<void(int64_t guardian)> end;  // kills it; no effect if it has ended
};

class FakeBackend final : public AgentPlacement, public Planning, public MachineSharing {
 public:
  // Without Capabilities::fixed_hosts, a lost node may be placed on any host.
  FakeBackend(Loop& loop, Inventory machine, FakeAgents agents, const Capabilities& capabilities = usual());
  ~FakeBackend() override;

  // An agent has connected and has no node yet. If no placement waits for it, it is dismissed.
  void agent_arrived(ArrivedAgent agent);
  // The guardian has ended, and with it all processes of the node.
  void guardian_ended(int64_t guardian, const std::string& how);
  std::vector<Holder> others;  // Room::others

  // Simulates that its controller has ended: all later calls have no effect.
  void freeze() { frozen_ = true; }

  Backend parts() { return {.capabilities = capabilities_, .placement = *this, .planning = *this, .machine = this}; }
  static Capabilities usual() { return {.shares_filesystem = true, .fixed_hosts = true}; }
  Room room(bool) override { return {machine_, others}; }
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) override;
  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef& node, const std::string& token) override;
  std::string address(const NodeRef&) const override { return "127.0.0.1"; }
  std::string loopback(const NodeRef&) const override { return "127.0.0.1"; }
  void on_lost(std::function<void(const NodeRef&, const std::string&)> handler) override { lost_ = std::move(handler); }
  void release(const NodeRef& node) override;
  // Only records the call, as for hosts that can be reached only through their agents.
  void end(const NodeRef& node) override { ended.push_back(node); }
  std::vector<NodeRef> ended;

 private:
  struct Placed {
    int64_t guardian = 0;
    std::function<void(Result<PlacedAgent>)> done;  // null once the agent has reported
    TimerId kill_timer = 0;                         // set by release()
    bool released = false;
  };

  void later(std::function<void()> work);

  Loop& loop_;
  const Inventory machine_;
  const FakeAgents agents_;
  const Capabilities capabilities_;
  std::function<void(const NodeRef&, const std::string&)> lost_;
  std::map<NodeRef, Placed> placements_;
  bool frozen_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
