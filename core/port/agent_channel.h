// The two ends of the link between a coordinator and an agent (DESIGN.md §9.2: the agent dials). Ordered while it
// lasts; whatever was under way when it closes is lost, which levels repeat.
//
// Loop thread only. Handlers run on the loop, in turns of their own; destroying a channel closes it and silences its
// handlers.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/port/agent_messages.h"

namespace muster {

template <typename Out, typename In>
class Channel {
 public:
  virtual ~Channel() = default;
  // Queued, never blocks. After the close it is dropped.
  virtual void send(const Out& message) = 0;
  // Set before the first turn after the channel was handed over; who takes it over sets anew. `on_closed` runs at most
  // once.
  virtual void listen(std::function<void(const In&)> on_message, std::function<void(const Status&)> on_closed) = 0;
};

using ChannelToAgent = Channel<CoordinatorMessage, AgentMessage>;
using ChannelToCoordinator = Channel<AgentMessage, CoordinatorMessage>;

// The agent's way to its coordinator.
class CoordinatorDialer {
 public:
  virtual ~CoordinatorDialer() = default;
  // A channel, or unavailable. One dial at a time.
  virtual void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) = 0;
};

// A new channel with the hello that opened it.
struct ArrivedAgent {
  std::unique_ptr<ChannelToAgent> channel;
  Hello hello;
  std::string peer;  // the numeric address it came from; empty: this machine's socket
};

}  // namespace muster
