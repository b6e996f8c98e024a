// SPDX-License-Identifier: Apache-2.0
// The error messages of the rendezvous. Internal; pure.
#pragma once

#include <set>
#include <string>

#include "core/machine/rendezvous/state.h"

namespace muster::rendezvous {

// "`epoch-3`". A long key is shortened; bytes that are not printable are escaped.
std::string shown(const std::string& key);

// "barrier `epoch-3`"
std::string call_name(RendezvousCall::Kind kind, const std::string& key);

// "key `k` was not set within 30 s (waiting since 2026-11-21T19:03:07.120Z)"
std::string wait_timed_out(const Waiter& waiter);

// "barrier `epoch-3` timed out after 30 s: rank 1 on node-b and rank 3 on node-b are missing (2 of 4)"
std::string barrier_timed_out(const Waiter& waiter, const Space& space, const PendingBarrier& barrier,
                              const Limits& limits);

// "barrier `epoch-3` waits for rank 1 on node-b and rank 3 on node-b (2 of 4)"
std::string barrier_waits(const Space& space, const std::string& key, const PendingBarrier& barrier,
                          const Limits& limits);

// "MPI_Init waits for rank 2 on node-b and rank 3 on node-b (2 of 4)". `missing`: sorted, not empty.
std::string ranks_wait(const Space& space, const std::string& what, const std::set<Rank>& missing,
                       const Limits& limits);

// Why a call of `attempt` is refused: "attempt 2 has ended: rank 3 on node-b was killed by SIGSEGV".
std::string attempt_refusal(const State& state, Attempt attempt);

// "key `leader` was lost: keys set in this attempt before the controller was replaced are gone"
std::string forgotten(const std::string& what);

// "a key may have at most 1024 bytes"
std::string too_large(const std::string& what, size_t limit);

}  // namespace muster::rendezvous
