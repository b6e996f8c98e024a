// TypeAhead: keys for the rank of a terminal (`--tty RANK`). What is typed before the rank runs waits for it, up to a
// bound; the window's size is told to every attempt. Pure.
#pragma once

#include <optional>

#include "core/port/agent_messages.h"

namespace muster {

class TypeAhead {
 public:
  // What to send now; nothing: it waits until the rank runs in `attempt`.
  std::optional<TtyInput> type(const TtyInput& typed, Attempt attempt);

  // Rank `index`, which has the terminal, runs in `attempt`: what it missed, once per attempt.
  std::optional<TtyInput> rank_runs(uint32_t index, Attempt attempt);

 private:
  TtyInput waiting_;     // with the newest size of the window
  Attempt attempt_ = 0;  // whose rank takes what is typed
};

}  // namespace muster
