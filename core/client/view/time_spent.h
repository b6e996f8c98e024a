// SPDX-License-Identifier: Apache-2.0
// The time that a job spent in each phase. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

enum class SpentOn {
  queue,    // from the submission to the first placement
  setup,    // copying code to hosts and running setup; this time is not part of `start` or `restart`
  start,    // from the placement until all ranks of the first attempt run, or a warm parent imports for them
  import,   // until the ranks have finished their imports, if this is known
  useful,   // until a failure, a stop or success
  restart,  // from a failure until all ranks of the next attempt run, or a warm parent imports for them
  stop,     // from the end of the last attempt until all its processes have ended
};

// "queue", "setup" and so on.
const char* to_string(SpentOn phase);

struct Span {
  SpentOn phase = SpentOn::queue;
  TimePoint begin;
  TimePoint end;
  bool operator==(const Span&) const = default;
};

// Spans in order and without gaps, from the submission to the end or to `now`; none is empty. If groups restart
// independently, they are those of one group.
std::vector<Span> spans_of(const JobView& job, const std::string& group, TimePoint now);

// The sum over all groups for each phase, in the order of SpentOn. Phases without time are left out.
std::vector<std::pair<SpentOn, Duration>> time_spent(const JobView& job, TimePoint now);

// "▒███████████████░███████  96 % useful · 2.2 % start · 1.7 % restart": a bar if the groups restart together, then the
// largest shares. Empty while nothing has run, and for a job that hangs or ended by a hang: how much of its time was useful is not
// known.
std::string spent_line(const JobView& job, const Style& style);

}  // namespace muster
