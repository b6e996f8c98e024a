// Repeats: how often a level (agent_messages.h) that says nothing new is repeated. Each wakes four threads of two processes, so
// where no lease stands on it only every few beats: a channel loses nothing while it lives, and begins with a hello that tells
// how things stand. Pure.
#pragma once

#include <cstdint>
#include <memory>

#include "core/port/agent_messages.h"

namespace muster {

// Beats from one to the next, 1 or more. look_every: DesiredState::look_every; what a watch sees is told twice as often.
uint32_t beats_between(Duration look_every);

// But for what changes by itself as time goes by: the number of the beat, and for how long something has lasted.
bool same_level(const Report& a, const Report& b);
bool same_level(const DesiredState& a, const DesiredState& b);

template <typename Level>
class Repeats {
 public:
  // Whether `level` is to be sent with this beat; it is taken to be, then. beats: from one to the next.
  bool due(const Level& level, uint32_t beats) {
    if (last_ && ++since_ < beats && same_level(*last_, level)) return false;
    since_ = 0;
    last_ = beats > 1 ? std::make_unique<Level>(level) : nullptr;  // there may be ten thousand of us
    return true;
  }

  // The next is due: who hears it has heard nothing yet, or somebody is to hear at once.
  void reset() { last_.reset(); }

 private:
  std::unique_ptr<Level> last_;
  uint32_t since_ = 0;  // beats
};

}  // namespace muster
