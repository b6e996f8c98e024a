// WaitingAgents: agents that came back from a job and wait for the next, with what they have warm or as they are. To start an agent
// takes longer than everything else that a short job needs. Few are kept, and they leave when memory is scarce. Loop thread only.
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

// It leaves when its channel closes.
struct WaitingAgent {
  ArrivedAgent agent;
  TimePoint since;
  ProcessHandle guardian;  // still watched, for the next job
  bool warm() const { return !agent.hello.warm.empty(); }
};

class WaitingAgents {
 public:
  WaitingAgents(Loop& loop, MachineInfo& machine) : loop_(loop), machine_(machine) {}
  ~WaitingAgents();
  WaitingAgents(const WaitingAgents&) = delete;
  WaitingAgents& operator=(const WaitingAgents&) = delete;

  // Keeps it until it is taken, leaves, or is sent away to make room.
  void add(ArrivedAgent agent, ProcessHandle guardian);
  // The agent for a job; `begins_warm`: one that has something warm goes first. Nothing: none waits that the job may have.
  std::optional<WaitingAgent> take(bool begins_warm);

  // As IdleAgents.
  std::vector<IdleAgent> idle_agents() const;
  uint32_t end_idle_agents();

 private:
  std::optional<WaitingAgent> take_of_kind(bool warm);
  void forget(Incarnation incarnation);
  void make_room_for(bool warm);
  void send_away_first(const std::function<bool(const WaitingAgent&)>& which);
  void watch_memory(Duration after);

  Loop& loop_;
  MachineInfo& machine_;
  std::vector<WaitingAgent> waiting_;  // the newest last
  TimerId memory_timer_ = 0;           // while there are any
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
