// AgentShutdown: what an agent whose ranks have ended still waits for before it leaves: that what its execs came to is sent, and that its
// coordinator hears that the node was drained. Each for a moment only. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/exec_server.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

class AgentShutdown {
 public:
  // `again`: ask again whether it may leave.
  AgentShutdown(Loop& loop, std::function<void()> again) : loop_(loop), again_(std::move(again)) {}
  ~AgentShutdown() { *alive_ = false; }
  AgentShutdown(const AgentShutdown&) = delete;
  AgentShutdown& operator=(const AgentShutdown&) = delete;

  // Execs end with the ranks. Their results are sent as bulk on the link.
  bool waits_for_execs(const ExecServer& execs);

  // If nodes are replaced, a drained node reports that none of its processes is alive, so that nobody waits for its lease.
  bool waits_for_coordinator(ChannelToCoordinator* channel, const std::string& why);
  bool said() const { return until_.has_value(); }

 private:
  void ask_at(TimePoint time);

  Loop& loop_;
  const std::function<void()> again_;
  int looks_left_ = 25;  // at execs that end
  std::optional<TimePoint> until_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
