// What a look at a rank from outside its process found out of the ordinary, and where it stands. Values.
#pragma once

#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/rank/collective_progress.h"

namespace muster {

struct RankFinding {
  // stopped: by SIGSTOP or the like. in_io: in a wait of the kernel that no signal ends (state D in ps), as storage may
  // need; stuck: for so long that it will not come back by itself.
  enum class Kind { stopped, in_io, stuck };
  Kind kind = Kind::stopped;
  TimePoint since;
  bool operator==(const RankFinding&) const = default;
};

struct RankLocation {
  std::string place;                            // in a few words: "clock_nanosleep (hrtimer_nanosleep)"
  std::string stack;                            // a line per thread and frame; empty: it could not be read
  std::vector<CollectiveProgress> collectives;  // one for each process group that its framework recorded
  std::vector<std::string> network;             // what its communication library knows of all ranks: sentences
  bool complete = false;                        // nothing more is to come
  bool operator==(const RankLocation&) const = default;
};

}  // namespace muster
