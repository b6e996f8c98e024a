// Calls that wait: parked under every index that finds them again, so that no step looks at all of them. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// A wait for `asked.call.key`, or the arrival of a barrier or fence (which barriers.h keeps besides).
void park(Turn& turn, const Asked& asked);

// Takes a waiter out of every index but its barrier's, and says what it was.
Waiter unpark(State& state, Asker asker);

// Everybody who waits, answered with `status`.
void answer_all(Turn& turn, const Status& status);

// Those who wait for `key` get its value.
void answer_watchers(Turn& turn, Space& space, const std::string& key, const std::string& value);

void forget_channel(State& state, uint64_t channel);

// Answers whoever is due.
void expire(Turn& turn);

// The timer, when the first deadline is earlier than the one armed.
void arm(Turn& turn);

}  // namespace muster::rendezvous
