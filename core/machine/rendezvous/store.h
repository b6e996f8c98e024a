// Keys and values of a world: the calls that never wait. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// set, get, add, compare_and_set, remove, list, already found fit (limits.h): answered at once; who waits for a
// key that gets its value is answered too, after.
void store_call(Turn& turn, const Asked& asked);

}  // namespace muster::rendezvous
