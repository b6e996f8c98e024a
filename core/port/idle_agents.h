// SPDX-License-Identifier: Apache-2.0
// IdleAgents: the agents of a backend that stayed after their job and wait for the next one. Loop thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/port/idle_agent.h"

namespace muster {

class IdleAgents {
 public:
  virtual ~IdleAgents() = default;
  virtual std::vector<IdleAgent> idle_agents() const = 0;
  // Dismisses them, and those that are about to reconnect when they do. Returns how many were waiting.
  virtual uint32_t end_idle_agents() = 0;
};

}  // namespace muster
