// Where a job's time went, phase by phase. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

enum class SpentOn {
  queue,    // from the submission to the first placing
  setup,    // while the job's code was brought to hosts, and they were set up; of what follows, that is left out
  start,    // until all ranks of the first attempt ran, or a warm parent imported for them
  import,   // until they were seen past their imports, where anybody can tell
  useful,   // until a failure, a stop or success
  restart,  // from a failure until all ranks of the next attempt ran, or a warm parent imported for them
  stop,     // from then until nothing was left, where no attempt followed
};

// "queue", …
const char* to_string(SpentOn phase);

struct Span {
  SpentOn phase = SpentOn::queue;
  TimePoint begin;
  TimePoint end;
  bool operator==(const Span&) const = default;
};

// In order and without gaps, from the submission to the end or to `now`; none is empty. Of one group's attempts, where
// groups begin anew by themselves.
std::vector<Span> spans_of(const JobView& job, const std::string& group, TimePoint now);

// Of all groups together, by phase, in the order of SpentOn; phases that took nothing are left out.
std::vector<std::pair<SpentOn, Duration>> time_spent(const JobView& job, TimePoint now);

// "▒███████████████░███████  96 % useful · 2.2 % start · 1.7 % restart": a bar where there is one group, the largest
// share first; empty while there is nothing to tell.
std::string spent_line(const JobView& job, const Style& style);

}  // namespace muster
