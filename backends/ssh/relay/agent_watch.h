// SPDX-License-Identifier: Apache-2.0
// AgentWatch: notices that a signal such as SIGSTOP has stopped the agent of a relay, which an agent cannot report itself. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace muster {

// The agent, and processes that it left to its guardian.
std::vector<pid_t> children_of_guardian(pid_t guardian);

// Continues the guardian and its agent.
void resume_agent(pid_t guardian);

class AgentWatch {
 public:
  static constexpr std::chrono::milliseconds kPeriod{1000};

  // `changed` gets the pid of the agent when it was stopped, and 0 when it was continued.
  explicit AgentWatch(std::function<void(pid_t pid)> changed, std::chrono::milliseconds period = kPeriod)
      : changed_(std::move(changed)),
        period_(period) {}

  // Looks if the last look was a period ago. `guardian`: 0 if there is none.
  void look(const std::function<pid_t()>& guardian);

 private:
  pid_t stopped_among(pid_t guardian);

  const std::function<void(pid_t)> changed_;
  const std::chrono::milliseconds period_;
  std::chrono::steady_clock::time_point next_;
  pid_t agent_ = 0;    // found at the last look
  pid_t stopped_ = 0;  // told last
};

}  // namespace muster
