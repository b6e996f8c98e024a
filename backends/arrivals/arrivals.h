// SPDX-License-Identifier: Apache-2.0
// Arrivals: agents that connected by themselves and wait until a node needs them. It is shared by the backends that do not start agents;
// they decide which agent fits which node. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

// A name received over the network, made safe for terminals: at most 255 bytes, escaped.
std::string shown_name(const std::string& text);

class Arrivals {
 public:
  using Ticket = uint64_t;  // identifies an agent; never reused; 0: no agent

  explicit Arrivals(Loop& loop) : loop_(loop) {}
  ~Arrivals() { *alive_ = false; }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // Keeps the agent until it is taken, dismissed or forgotten. `left` runs if its channel closes before that; the caller decides what
  // happens to the agent then.
  Ticket add(ArrivedAgent agent, std::function<void(Ticket)> left = nullptr);
  // Null: no such agent waits.
  const ArrivedAgent* find(Ticket ticket) const;
  // Removes the agent and returns it. The caller must call listen() on its channel. nullopt: no such agent waits.
  std::optional<ArrivedAgent> take(Ticket ticket);
  // Dismisses the agent with the reason `why`, if it waits.
  void dismiss_agent(Ticket ticket, const std::string& why, bool succeeded = false);
  // Closes the agent's channel in a later turn, if it waits.
  void forget(Ticket ticket);
  // Sends a message to all waiting agents. An agent that receives nothing for some time reconnects.
  void speak();

 private:
  Loop& loop_;
  std::map<Ticket, ArrivedAgent> agents_;
  Ticket last_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
