// SPDX-License-Identifier: Apache-2.0
// WaitingAgents: agents that came back from a job and wait for the next job, with or without a warm parent. They save time, because
// starting an agent takes longer than everything else that a short job needs. Only a few are kept, and they are dismissed if memory is
// scarce, if those with a warm parent keep too much of it, or after a time. Loop thread only.
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
  ProcessHandle guardian;     // its watch is kept for the next job
  uint64_t memory_bytes = 0;  // of a warm agent; 0: not measured yet
  bool warm() const { return !agent.hello.warm.empty(); }
};

struct WaitingAgentsPorts {
  Loop& loop;
  ProcessHost& host;
  MachineInfo& machine;
};

class WaitingAgents {
 public:
  // `longest`: how long an agent waits; 0: for ever.
  WaitingAgents(WaitingAgentsPorts ports, Duration longest)
      : loop_(ports.loop),
        host_(ports.host),
        machine_(ports.machine),
        longest_(longest) {}
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
  void dismiss(WaitingAgent& agent);
  void forget(Incarnation incarnation);
  void dismiss_if_full(bool warm);
  void dismiss_first(const std::function<bool(const WaitingAgent&)>& which);
  void check_soon(Duration after);
  void check();
  void measure();
  bool keep_too_much() const;

  Loop& loop_;
  ProcessHost& host_;
  MachineInfo& machine_;
  const Duration longest_;
  std::vector<WaitingAgent> waiting_;  // the newest last
  TimerId check_timer_ = 0;            // runs while agents wait
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
