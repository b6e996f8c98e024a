// SPDX-License-Identifier: Apache-2.0
// SimulatedAgent: sends the messages of a real agent (core/agent/agent.h) on a real link, but runs no processes. Its one rank
// "runs" as soon as the desired state has it, enters a barrier of all ranks, and ends when it is told to. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster::agent_swarm {

class SimulatedAgent {
 public:
  struct Told {
    std::function<void(Attempt)> past;  // its rank has passed the attempt's barrier
    std::function<void(const std::string&)> lost;
  };
  SimulatedAgent(Loop& loop, std::unique_ptr<CoordinatorDialer> dialer, Incarnation incarnation, const Told& told,
                 std::optional<PodSelf> pod);

  void dial();
  void send_heartbeat();
  void fail();  // simulates that its rank exits with 1
  uint64_t messages() const { return messages_; }

 private:
  void lost(const Status& why);
  void dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel);
  void heard(const CoordinatorMessage& message);
  void obey(const DesiredState& desired);
  void begin(const DesiredState& desired);
  void end(ExitStatus exit);
  void send(const AgentMessage& message);

  Loop& loop_;
  std::unique_ptr<CoordinatorDialer> dialer_;
  std::unique_ptr<ChannelToCoordinator> channel_;
  const Incarnation incarnation_;
  const Told& told_;
  const std::optional<PodSelf> pod_;
  JobId job_;  // the job that it is bound to
  NodeIndex node_ = 0;
  Report report_;
  uint64_t asked_ = 0;
  uint64_t messages_ = 0;
};

}  // namespace muster::agent_swarm
