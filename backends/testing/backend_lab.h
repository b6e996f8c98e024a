// SPDX-License-Identifier: Apache-2.0
// BackendLab: lets a test play the agents of a backend.
#pragma once

#include <functional>
#include <memory>

#include "core/port/agent_placement.h"

namespace muster {

// A backend, and functions to play its agents. Agents are numbered from 0 in the order of their start.
class BackendLab {
 public:
  virtual ~BackendLab() = default;
  virtual AgentPlacement& backend() = 0;
  // Called before nodes 0 and 1 of the job are placed or adopted.
  virtual void know(const JobId&) {}
  // Called before an agent is placed on the node.
  virtual void placing(size_t /*agent*/, const NodeRef&) {}
  virtual void wait(Duration duration) = 0;  // simulated time; 0: runs everything that is due
  virtual void refuse_places(bool refuse) = 0;
  // An agent connects, without a node. If it was never started, it is unknown to the backend.
  virtual void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) = 0;
  virtual void die(size_t agent) = 0;              // the agent ends by itself
  virtual bool was_ended(size_t agent) const = 0;  // the backend has ended the agent
  virtual void reopen() = 0;                       // a new backend, as of a new controller, with the same processes
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
