// Ranks that do not go on, in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// "stopped for 12 s in read", "in I/O for 5 s: nfs_wait", "slow: 0.55 of the median"; empty: nothing out of the ordinary.
std::string rank_trouble(const RankView& rank, TimePoint now);

// "1 stopped", "2 slow": what the state of a job hides; empty: nothing.
std::string ranks_in_trouble(const JobView& job);

// What stands, a sentence each.
std::vector<std::string> hang_sentences(const JobView& job);

// Where the ranks of a job that runs stand now, those at one place together; empty: nobody looked, or what hangs tells it.
std::string standing_view(const JobView& job);

// What to type: `kill -CONT 4711 on node-b lets rank 1 go on`; empty: muster knows nothing better than to look.
std::string hang_advice(const JobView& job, const Style& style);

}  // namespace muster
