// What a test plays a backend's agents with.
#pragma once

#include <functional>
#include <memory>

#include "core/port/agent_placement.h"

namespace muster {

// A backend with the hands to play its agents, which are numbered from 0 in the order in which they were started.
class BackendLab {
 public:
  virtual ~BackendLab() = default;
  virtual AgentPlacement& backend() = 0;
  // Before its nodes are placed or adopted: nodes 0 and 1.
  virtual void know(const JobId&) {}
  // An agent is about to be placed on it.
  virtual void placing(size_t /*agent*/, const NodeRef&) {}
  virtual void wait(Duration duration) = 0;  // 0: until nothing is due
  virtual void refuse_places(bool refuse) = 0;
  // An agent says hello, unbound. One that was never started: a stranger.
  virtual void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) = 0;
  virtual void die(size_t agent) = 0;              // by itself
  virtual bool was_ended(size_t agent) const = 0;  // by the backend
  virtual void reopen() = 0;                       // another controller's backend, over the same processes
};

class DismissibleChannel final : public ChannelToAgent {
 public:
  explicit DismissibleChannel(bool* dismissed) : dismissed_(dismissed) {}
  void send(const CoordinatorMessage& message) override { *dismissed_ |= std::holds_alternative<Dismiss>(message); }
  void listen(std::function<void(const AgentMessage&)>, std::function<void(const Status&)>) override {}

 private:
  bool* dismissed_;
};

}  // namespace muster
