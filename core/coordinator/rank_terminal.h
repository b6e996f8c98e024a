// RankTerminal: the terminal of a job's rank (`--tty RANK`): what is typed goes to the agent of that rank. Loop thread only.
#pragma once

#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/type_ahead.h"

namespace muster {

class RankTerminal {
 public:
  explicit RankTerminal(const JobContext& context) : context_(context) {}

  // Dropped unless that rank has the terminal.
  void type(const TtyInput& typed);
  // What a rank missed that runs now is sent.
  void heard(const Report& report);

 private:
  void send(const TtyInput& typed);

  const JobContext context_;
  TypeAhead ahead_;
};

}  // namespace muster
