// SPDX-License-Identifier: Apache-2.0
// RankTerminal: sends what the user types to the agent of the rank that may have a terminal: that of `--tty RANK`, else rank 0. The agent
// ignores it if the rank has none. Loop thread only.
#pragma once

#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/type_ahead.h"

namespace muster {

class RankTerminal {
 public:
  explicit RankTerminal(const JobContext& context) : context_(context) {}

  // Input for a rank without the terminal is dropped.
  void type(const TtyInput& typed);
  // If the rank runs now, sends what was typed before.
  void heard(const Report& report);

 private:
  Rank rank() const;
  void send(const TtyInput& typed);

  const JobContext context_;
  TypeAhead ahead_;
};

}  // namespace muster
