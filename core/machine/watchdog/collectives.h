// SPDX-License-Identifier: Apache-2.0
// Finds the ranks that block the others of a gang, from the collectives that the recorders of their frameworks report
// (CollectiveProgress). Pure.
#pragma once

#include <map>
#include <string>

#include "core/machine/watchdog/gang.h"

namespace muster::watchdog {

// "rank 3 has not entered all_reduce #17 of default_pg; rank 0, rank 1, rank 2 wait in it". Other sentences: the collectives differ
// in kind or shape; all ranks are in the same one. Empty: no rank is known to wait in a collective.
std::string collectives_sentence(const std::map<uint32_t, RankSeen>& ranks);

// The same from the Python functions of the ranks, for programs that no recorder knows: "rank 3 is in no collective; rank 0, rank 1 wait
// in all_reduce". Empty: no rank's main thread is in torch.distributed, or a rank's functions are not known.
std::string torch_calls_sentence(const std::map<uint32_t, RankSeen>& ranks);

}  // namespace muster::watchdog
