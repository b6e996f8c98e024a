// SPDX-License-Identifier: Apache-2.0
// AgentShutdown: the waits of an agent whose ranks have ended, before it exits: for the results of its exec processes to be
// sent, and for the coordinator to learn that the node was drained. Each wait is short. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/exec_server.h"
#include "core/agent/rank/leftovers.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"
#include "core/port/process_host.h"

namespace muster {

class AgentShutdown {
 public:
  // `again` is called when the owner should check again whether the agent may exit.
  AgentShutdown(Loop& loop, std::function<void()> again) : loop_(loop), again_(std::move(again)) {}
  ~AgentShutdown() { *alive_ = false; }
  AgentShutdown(const AgentShutdown&) = delete;
  AgentShutdown& operator=(const AgentShutdown&) = delete;

  // Exec processes end with the ranks. Their results have low send priority on the link.
  bool waits_for_execs(const ExecServer& execs);

  // Helpers that were to finish beside a next attempt are killed: there is none.
  bool waits_for_sweep(ProcessHost& host, Leftovers& leftovers);

  // A node that can be replaced sends Leave once none of its processes is alive, so that the coordinator need not wait for
  // the lease to end.
  bool waits_for_coordinator(ChannelToCoordinator* channel, const std::string& why);
  // Whether Leave was sent.
  bool said() const { return until_.has_value(); }

 private:
  void ask_at(TimePoint time);

  Loop& loop_;
  const std::function<void()> again_;
  int checks_left_ = 25;  // of exec processes that are about to end
  std::optional<TimePoint> until_;
  bool sweeps_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
