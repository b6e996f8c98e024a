// SPDX-License-Identifier: Apache-2.0
// The two ends of the link between a coordinator and an agent (docs/design/backends.md: the agent connects). Messages arrive in
// order. Messages in flight when the link closes are lost; repeated reports and desired states replace them.
//
// Loop thread only. Handlers run on the loop, in turns of their own. Destroying a channel closes it; its handlers no longer
// run.
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
  // Queues the message; never blocks. Dropped after the channel has closed.
  virtual void send(const Out& message) = 0;
  // Call it before the first turn after you got the channel; a new owner calls it again. `on_closed` runs at most once.
  virtual void listen(std::function<void(const In&)> on_message, std::function<void(const Status&)> on_closed) = 0;
};

using ChannelToAgent = Channel<CoordinatorMessage, AgentMessage>;
using ChannelToCoordinator = Channel<AgentMessage, CoordinatorMessage>;

// Connects an agent to its coordinator.
class CoordinatorDialer {
 public:
  virtual ~CoordinatorDialer() = default;
  // `done` gets a channel, or unavailable. One dial at a time.
  virtual void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) = 0;
};

// A new channel with the hello that opened it.
struct ArrivedAgent {
  std::unique_ptr<ChannelToAgent> channel;
  Hello hello;
  std::string peer;  // the agent's numeric address; empty: it connected through this machine's socket
};

}  // namespace muster
