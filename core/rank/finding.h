// SPDX-License-Identifier: Apache-2.0
// Results of examining a rank from outside its process: findings of the watchdog, and the location of the rank. Values.
#pragma once

#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/rank/collective_progress.h"

namespace muster {

struct RankFinding {
  // stopped: by SIGSTOP or a similar signal. in_io: in an uninterruptible wait of the kernel (state D in ps), for
  // example for storage. stuck: in such a wait for so long that it will probably not end by itself.
  enum class Kind { stopped, in_io, stuck };
  Kind kind = Kind::stopped;
  TimePoint since;
  bool operator==(const RankFinding&) const = default;
};

struct RankLocation {
  std::string place;                            // the call in which the rank is: "clock_nanosleep (hrtimer_nanosleep)"
  std::string stack;                            // one line per thread and frame; empty: could not be read
  std::vector<CollectiveProgress> collectives;  // one for each process group that its framework recorded
  std::vector<std::string> network;             // sentences about all ranks, from the communication library
  bool complete = false;                        // no further information will follow
  std::string exception;                        // whose traceback is near the end of its stderr; empty: none
  bool operator==(const RankLocation&) const = default;
};

}  // namespace muster
