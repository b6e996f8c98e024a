// SPDX-License-Identifier: Apache-2.0
// Decides from the published progress of the ranks whether waiting ranks can ever continue. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker/collective/call.h"
#include "core/worker/collective/roster.h"

namespace muster::worker {

// The progress that a rank published at one moment.
struct RankProgress {
  std::vector<Call> calls;   // unfinished calls, oldest first; the rank waits in the last
  std::vector<Call> passed;  // the last finished message of each pair of ranks: from, to and number
};
using GroupProgress = std::map<uint32_t, RankProgress>;

// A message if the ranks can never continue; nullopt if they can, as far as is known. A rank that is late or has published
// nothing is not an error. The progress of roster.rank must be current; that of others may be old. Two cases are detected:
// the ranks made different calls with the same number; or this rank and another rank each wait in a call that needs the other
// first. Larger cycles end at the deadline, because old progress cannot prove them.
std::optional<std::string> judge(const Roster& roster, const GroupProgress& all_progress);

// The ranks that `call` waits for and that have not made it, according to `all_progress`.
std::vector<uint32_t> missing(const Roster& roster, const Call& call, const GroupProgress& all_progress);

std::string encode(const RankProgress& progress);
Result<RankProgress> decode_progress(std::string_view text);

}  // namespace muster::worker
