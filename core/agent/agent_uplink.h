// SPDX-License-Identifier: Apache-2.0
// AgentUplink: an agent's channel to its coordinator. It dials, doubles the delay after each failure or refusal, and calls its
// handlers when the channel opens and closes. A refusal is a channel that closes soon and without a message. The owner decides whether to dial again. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/base/log.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

struct AgentUplinkPorts {
  Loop& loop;
  CoordinatorDialer& dialer;
  Log& log;
};

class AgentUplink {
 public:
  struct Handlers {
    std::function<void()> opened;
    std::function<void(const CoordinatorMessage&)> heard;
    std::function<void()> closed;       // an open channel was lost
    std::function<void()> unreachable;  // there is no channel: call dial_later(), or exit
  };
  AgentUplink(AgentUplinkPorts ports, Handlers handlers);
  ~AgentUplink();
  AgentUplink(const AgentUplink&) = delete;
  AgentUplink& operator=(const AgentUplink&) = delete;

  void dial();
  void dial_later();
  // Null: not connected.
  ChannelToCoordinator* channel() const { return channel_.get(); }

  // Closes the channel if no message came on it for `patience`. The kernel does not notice that the other machine lost its
  // power.
  void give_up_silent(Duration patience);

  // Time without a channel, or the time since the last needed() if that is shorter.
  Duration alone() const { return ports_.loop.now() - alone_since_; }
  void needed() { alone_since_ = ports_.loop.now(); }

 private:
  void dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel);
  void lost(const Status& status);

  AgentUplinkPorts ports_;
  Handlers handlers_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  TimePoint opened_at_;
  TimePoint heard_at_;  // when the newest message came on this channel
  TimePoint alone_since_;
  Duration redial_{0};
  TimerId redial_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
