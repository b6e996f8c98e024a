// SPDX-License-Identifier: Apache-2.0
// Describes hanging and slow ranks in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// "stopped for 12 s in read", "in I/O for 5 s: nfs_wait", "slow: 0.55 of the median pace"; empty: no finding.
std::string rank_trouble(const RankView& rank, TimePoint now);

// "1 stopped", "2 slow": counts of ranks with findings; empty: none.
std::string ranks_in_trouble(const JobView& job);

// One sentence for each finding about a hang.
std::vector<std::string> hang_sentences(const JobView& job);

// For tables: the sentence without the locations of ranks and what follows them, "no rank has shown activity for 10 min".
std::string short_finding(const std::string& sentence);

// One sentence for each rank of a running job that has printed an exception and still runs, as far as ranks were examined.
std::vector<std::string> exception_sentences(const JobView& job);

// The locations of the ranks of a running job, grouped by location. Empty if they were not examined, or if the job hangs and
// has stacks of its ranks.
std::string location_view(const JobView& job);

// Advice for a job that hangs, such as `kill -CONT 4711 on node-b continues rank 1`.
std::string hang_advice(const JobView& job, const Style& style);

}  // namespace muster
