// SPDX-License-Identifier: Apache-2.0
// WaitingAgents: agents that came back from a job and wait for the next job, with or without a warm parent. They save time, because
// starting an agent takes longer than everything else that a short job needs. Only a few are kept, and they are dismissed if memory is
// scarce. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/port/agent_channel.h"
#include "core/port/idle_agents.h"
#include "core/port/loop.h"
#include "core/port/machine_info.h"
#include "core/port/process_host.h"

namespace muster {

// The agent exits when its channel closes.
struct WaitingAgent {
  ArrivedAgent agent;
  TimePoint since;
  ProcessHandle guardian;  // its watch is kept for the next job
  bool warm() const { return !agent.hello.warm.empty(); }
};

class WaitingAgents {
 public:
  WaitingAgents(Loop& loop, MachineInfo& machine) : loop_(loop), machine_(machine) {}
  ~WaitingAgents();
  WaitingAgents(const WaitingAgents&) = delete;
  WaitingAgents& operator=(const WaitingAgents&) = delete;

  // Keeps the agent until it is taken, exits, or is dismissed for a newer one or for lack of memory.
  void add(ArrivedAgent agent, ProcessHandle guardian);
  // Returns an agent for a job. `begins_warm`: prefers one with a warm parent; otherwise only agents without are taken. nullopt: no
  // suitable agent waits.
  std::optional<WaitingAgent> take(bool begins_warm);

  // As IdleAgents.
  std::vector<IdleAgent> idle_agents() const;
  uint32_t end_idle_agents();

 private:
  std::optional<WaitingAgent> take_of_kind(bool warm);
  void forget(Incarnation incarnation);
  void dismiss_if_full(bool warm);
  void dismiss_first(const std::function<bool(const WaitingAgent&)>& which);
  void watch_memory(Duration after);

  Loop& loop_;
  MachineInfo& machine_;
  std::vector<WaitingAgent> waiting_;  // the newest last
  TimerId memory_timer_ = 0;           // runs while agents wait
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
