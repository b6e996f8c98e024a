// SPDX-License-Identifier: Apache-2.0
// Finds the locations of ranks: for each rank its threads, its Python stack and its progress in collectives. NCCL's RAS is asked at
// the same time. Any thread; takes some seconds for each rank, plus the time to read the files that the ranks name.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "core/rank/finding.h"

namespace muster {

// Receives a result for the rank with index `which` in `leaders`. While `more` is true, further results follow.
using TellLocation = std::function<void(size_t which, const RankLocation& location, bool more)>;

// `leaders`: the processes that were started as the ranks. Reports the threads of all ranks first. Asks all flight recorders before
// it waits for the first. Reports the results of RAS last, so that no rank waits for them.
void examine_ranks(const std::vector<pid_t>& leaders, const TellLocation& tell);

}  // namespace muster
