// Whether ranks that wait can ever go on, from what each says it is in. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker/collective/call.h"
#include "core/worker/collective/roster.h"

namespace muster::worker {

// What a rank said of itself, in one moment.
struct RankProgress {
  std::vector<Call> calls;   // those it has not finished, oldest first; it waits in the last
  std::vector<Call> passed;  // of each pair it exchanged messages in, the last that it finished: from, to and number
};
using GroupProgress = std::map<uint32_t, RankProgress>;

// A sentence: they cannot go on. Nothing: they can, as far as is known; a rank that is late or has said nothing is no
// reason. The stand of roster.rank must be of now; others' may be old. Two reasons: different calls where one was due,
// which nothing can mend; or this rank and another each in a call that needs the other first. Larger circles are left
// to the deadline, since stands of other moments cannot prove them.
std::optional<std::string> judge(const Roster& roster, const GroupProgress& standing);

// The ranks that `call` waits for and that, by `standing`, have not come to it.
std::vector<uint32_t> missing(const Roster& roster, const Call& call, const GroupProgress& standing);

std::string encode(const RankProgress& stand);
Result<RankProgress> decode_stand(std::string_view text);

}  // namespace muster::worker
