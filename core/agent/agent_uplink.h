// AgentUplink: an agent's channel to its coordinator: it dials, waits longer after each failure, and tells when the channel opens
// and closes. Whether it should dial again is its owner's decision. Loop thread only.
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
    std::function<void()> unreachable;  // there is no channel: dial_later(), or leave
  };
  AgentUplink(AgentUplinkPorts ports, Handlers handlers);
  ~AgentUplink();
  AgentUplink(const AgentUplink&) = delete;
  AgentUplink& operator=(const AgentUplink&) = delete;

  void dial();
  void dial_later();
  // Null: there is none.
  ChannelToCoordinator* channel() const { return channel_.get(); }

  // Gives the channel up if nothing was heard on it for `patience`: the kernel does not notice that the other machine lost its power.
  void give_up_silent(Duration patience);

  // For how long there has been no channel, or, after that, since needed() was last called.
  Duration alone() const { return ports_.loop.now() - alone_since_; }
  void needed() { alone_since_ = ports_.loop.now(); }

 private:
  void dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel);
  void lost(const Status& status);

  AgentUplinkPorts ports_;
  Handlers handlers_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  TimePoint heard_at_;  // on this channel
  TimePoint alone_since_;
  Duration redial_{0};
  TimerId redial_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
