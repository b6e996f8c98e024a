// SPDX-License-Identifier: Apache-2.0
#include "core/agent/agent_shutdown.h"

namespace muster {
namespace {

constexpr Duration kExecShutdown = std::chrono::milliseconds(20);
// Time for the coordinator to receive Leave.
constexpr Duration kLeaveTimeout = std::chrono::seconds(1);

}  // namespace

bool AgentShutdown::waits_for_execs(const ExecServer& execs) {
  if (checks_left_ == 0 || !execs.served()) return false;
  checks_left_ = execs.empty() ? 0 : checks_left_ - 1;
  ask_at(loop_.now() + kExecShutdown);
  return true;
}

bool AgentShutdown::waits_for_sweep(ProcessHost& host, Leftovers& leftovers) {
  if (leftovers.empty()) return false;
  if (std::exchange(sweeps_, true)) return true;
  host.sweep({}, [this, alive = alive_, &leftovers](uint32_t) {
    if (!*alive) return;
    leftovers.clear();
    again_();
  });
  return true;
}

// The coordinator closes the channel when it has received Leave.
bool AgentShutdown::waits_for_coordinator(ChannelToCoordinator* channel, const std::string& why) {
  if (channel == nullptr) return false;
  if (until_) return loop_.now() < *until_;
  until_ = loop_.now() + kLeaveTimeout;
  channel->send(Leave{why});
  ask_at(*until_);
  return true;
}

void AgentShutdown::ask_at(TimePoint time) {
  loop_.at(time, [this, alive = alive_] {
    if (*alive) again_();
  });
}

}  // namespace muster
