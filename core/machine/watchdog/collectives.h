// Which ranks keep the others of a gang waiting, by what the recorders of their frameworks tell of their collectives
// (CollectiveProgress). Pure.
#pragma once

#include <map>
#include <string>

#include "core/machine/watchdog/gang.h"

namespace muster::watchdog {

// "rank 3 has not entered all_reduce #17 of default_pg; rank 0, rank 1, rank 2 wait in it"; that collectives differ in their kind or
// their shape; that all are in the same one. Empty: no rank waits in a collective, or none is known to.
std::string collectives_sentence(const std::map<uint32_t, RankSeen>& ranks);

}  // namespace muster::watchdog
