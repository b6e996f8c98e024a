// SPDX-License-Identifier: Apache-2.0
// Keys and values of a world: the calls that never wait. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// set, get, add, compare_and_set, remove and list, which limits.h has accepted. Answers the call at once, and then the waiters
// of a key that got a value.
void store_call(Turn& turn, const Asked& asked);

}  // namespace muster::rendezvous
