// SPDX-License-Identifier: Apache-2.0
// Barriers and fences: which ranks are expected, which have arrived, and their common answer. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// Adds the caller, which limits.h has accepted. The last rank to arrive releases all.
void join_barrier(Turn& turn, const Asked& asked);

// The deadline of `waiter`, the first of its barrier, expired: all waiters of the barrier fail; the error names the missing ranks.
void fail_barrier(Turn& turn, const Waiter& waiter);

// Removes an unparked waiter from its barrier, and the barrier with its last waiter.
void leave_barrier(Space& space, const Waiter& waiter);

}  // namespace muster::rendezvous
