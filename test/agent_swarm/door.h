// SPDX-License-Identifier: Apache-2.0
// Door: a backend that starts no agents. Agents connect by themselves; each gets the next node that waits for one. Loop thread
// only.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "core/port/backend.h"
#include "core/port/loop.h"

namespace muster::agent_swarm {

class Door final : public AgentPlacement, public Planning {
 public:
  explicit Door(Loop& loop) : loop_(loop) {}

  void arrived(ArrivedAgent agent);

  Backend parts() { return {.capabilities = {.shares_filesystem = true}, .placement = *this, .planning = *this}; }
  Result<Plan> plan(const JobSpec&, const std::vector<Holder>&, const JobOrigin&) override;
  void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) override;
  void adopt(const NodeRef&, const std::string&) override {}
  std::string address(const NodeRef& node) const override;
  std::string loopback(const NodeRef&) const override { return "127.0.0.1"; }
  void on_lost(std::function<void(const NodeRef&, const std::string&)>) override {}
  void end(const NodeRef&) override {}
  void release(const NodeRef&) override {}

 private:
  void hand_over(ArrivedAgent agent);

  Loop& loop_;
  std::deque<ArrivedAgent> early_;
  std::deque<std::function<void(Result<PlacedAgent>)>> wanted_;
};

}  // namespace muster::agent_swarm
