// Who is refused, and in which words. Every function says ok, or the Status the asker gets. Internal; pure.
#pragma once

#include "core/machine/rendezvous/rendezvous.h"

namespace muster::rendezvous {

// The one door (STYLE.md A.5): a call of another attempt, world or rank, or malformed in itself.
Status call_refusal(const State& state, const Asked& asked);

// A call that would have to wait.
Status waiting_refusal(const State& state, const Asked& asked);

// An arrival that would make the answer of its fence too large; `gathered_bytes` have arrived.
Status fence_refusal(const Limits& limits, const RendezvousCall& call, size_t gathered_bytes);

// A value about to be stored in place of `old_bytes` (of key and value).
Status store_refusal(const State& state, const std::string& key, size_t value_bytes, bool is_new, size_t old_bytes);

}  // namespace muster::rendezvous
