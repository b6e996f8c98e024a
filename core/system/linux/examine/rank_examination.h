// Finds out where ranks stand: of each its threads, then its Python stack and how far it is in its collectives; NCCL's RAS is asked
// beside that. Any thread; takes some seconds for each rank, and as long as the files that they name.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "core/rank/finding.h"

namespace muster {

// Of the rank `which` of those that were asked for; again as long as there is `more` to come.
using TellStanding = std::function<void(size_t which, const RankLocation& standing, bool more)>;

// `leaders`: the processes that were started as the ranks. Their threads are looked at first, and all flight recorders are asked
// before the first is waited for. What RAS says is told last, so that no rank waits for it.
void examine_ranks(const std::vector<pid_t>& leaders, const TellStanding& tell);

}  // namespace muster
