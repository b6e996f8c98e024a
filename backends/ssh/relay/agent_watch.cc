// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/agent_watch.h"

#include <signal.h>

#include <utility>

#include "core/system/linux/proc_files.h"

namespace muster {

std::vector<pid_t> children_of_guardian(pid_t guardian) {
  std::vector<pid_t> children;
  for (const pid_t each : all_processes()) {
    const std::optional<ProcessStat> stat = read_stat(each);
    if (stat && stat->parent == guardian) children.push_back(each);
  }
  return children;
}

void resume_agent(pid_t guardian) {
  if (guardian == 0) return;
  kill(guardian, SIGCONT);
  for (const pid_t each : children_of_guardian(guardian)) kill(each, SIGCONT);
}

void AgentWatch::look(const std::function<pid_t()>& guardian) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + period_;
  const pid_t stopped = stopped_among(guardian());
  if (stopped != std::exchange(stopped_, stopped)) changed_(stopped);
}

// All processes of a host are read only until the agent is known.
pid_t AgentWatch::stopped_among(pid_t guardian) {
  if (guardian == 0) return 0;
  std::optional<ProcessStat> stat = agent_ == 0 ? std::nullopt : read_stat(agent_);
  if (!stat || stat->parent != guardian) {
    const std::vector<pid_t> children = children_of_guardian(guardian);
    agent_ = children.empty() ? 0 : children.front();
    stat = agent_ == 0 ? std::nullopt : read_stat(agent_);
  }
  return stat && stat->state == 'T' ? agent_ : 0;
}

}  // namespace muster
