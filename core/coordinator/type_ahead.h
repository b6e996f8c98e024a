// SPDX-License-Identifier: Apache-2.0
// TypeAhead: keeps what the user types before the rank with the terminal (`--tty RANK`) runs, up to 64 KiB. Every attempt gets
// the size of the window. Pure.
#pragma once

#include <optional>

#include "core/port/agent_messages.h"

namespace muster {

class TypeAhead {
 public:
  // Returns what to send now; empty: it is kept until the rank runs in `attempt`.
  std::optional<TtyInput> type(const TtyInput& typed, Attempt attempt);

  // Rank `index`, which has the terminal, runs in `attempt`. Returns what was typed before, once per attempt.
  std::optional<TtyInput> rank_runs(uint32_t index, Attempt attempt);

 private:
  TtyInput waiting_;     // with the newest size of the window
  Attempt attempt_ = 0;  // the attempt whose rank runs
};

}  // namespace muster
