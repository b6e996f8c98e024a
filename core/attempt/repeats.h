// SPDX-License-Identifier: Apache-2.0
// Repeats: decides how often an unchanged level (agent_messages.h) is repeated. Each message wakes four threads of two processes.
// So without a lease it is repeated only every few heartbeats: an open channel loses nothing, and a new one begins with a hello
// that contains the complete state. Pure.
#pragma once

#include <cstdint>
#include <memory>

#include "core/port/agent_messages.h"

namespace muster {

// Heartbeats between two repetitions, at least 1. With DesiredState::look_every, samples are reported twice in that interval.
uint32_t beats_between(Duration look_every);

// True if both are equal, apart from values that change with time only: the heartbeat's number, and durations.
bool same_level(const Report& a, const Report& b);
bool same_level(const DesiredState& a, const DesiredState& b);

template <typename Level>
class Repeats {
 public:
  // Called at each heartbeat: true if `level` must be sent, and then counts it as sent. `beats`: heartbeats between repetitions.
  bool due(const Level& level, uint32_t beats) {
    if (last_ && ++since_ < beats && same_level(*last_, level)) return false;
    since_ = 0;
    last_ = beats > 1 ? std::make_unique<Level>(level) : nullptr;  // there may be 10,000 objects
    return true;
  }

  // The next level is due at once, for example because the receiver is new.
  void reset() { last_.reset(); }

 private:
  std::unique_ptr<Level> last_;
  uint32_t since_ = 0;  // beats
};

}  // namespace muster
