// Barriers and fences: who is expected, who has arrived, and how they are answered together. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// The asker, already found fit (limits.h), takes its place; the last one releases all.
void join_gathering(Turn& turn, const Asked& asked);

// The first deadline of a barrier ran out, `waiter`'s: all who wait there are told who is missing.
void fail_gathering(Turn& turn, const Waiter& waiter);

// Takes the place of an unparked waiter away; the barrier goes with its last.
void leave_gathering(Space& space, const Waiter& waiter);

}  // namespace muster::rendezvous
