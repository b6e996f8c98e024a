// SPDX-License-Identifier: Apache-2.0
// Waiting calls. They are in several indices, so that no step has to search all of them. Internal.
#pragma once

#include "core/machine/rendezvous/turn.h"

namespace muster::rendezvous {

// Parks a wait for `asked.call.key`, or an arrival at a barrier or fence (pending_barriers.h keeps it too).
void park(Turn& turn, const Asked& asked);

// Removes a waiter from every index except its barrier, and returns it.
Waiter unpark(State& state, Asker asker);

// Answers all waiters with `status`.
void answer_all(Turn& turn, const Status& status);

// Answers the waiters of `key` with its value.
void answer_watchers(Turn& turn, Space& space, const std::string& key, const std::string& value);

void forget_channel(State& state, uint64_t channel);

// Answers the waiters whose deadline has passed.
void expire(Turn& turn);

// Arms the timer if the first deadline is earlier than the armed one.
void arm(Turn& turn);

}  // namespace muster::rendezvous
