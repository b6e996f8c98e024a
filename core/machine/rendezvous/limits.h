// SPDX-License-Identifier: Apache-2.0
// Checks of calls. Each function returns ok, or the error Status of the call. Internal; pure.
#pragma once

#include "core/machine/rendezvous/rendezvous.h"

namespace muster::rendezvous {

// All calls pass here. Refuses a call of another attempt, world or rank, and a malformed one.
Status call_refusal(const State& state, const Asked& asked);

// Refuses a call that would have to wait, if a limit of waiting calls or bytes is reached.
Status waiting_refusal(const State& state, const Asked& asked);

// Refuses an arrival that would make the answer of its fence too large. `bytes_so_far`: size of the values so far.
Status fence_refusal(const Limits& limits, const RendezvousCall& call, size_t bytes_so_far);

// Refuses a value that exceeds the limits of the store. `old_bytes`: size of the replaced key and value.
Status store_refusal(const State& state, const std::string& key, size_t value_bytes, bool is_new, size_t old_bytes);

}  // namespace muster::rendezvous
