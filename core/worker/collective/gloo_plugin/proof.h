// SPDX-License-Identifier: Apache-2.0
// The proof of identity that two ranks exchange after they have connected; Gloo itself accepts any connection as the peer.
// Pure.
#pragma once

#include <array>
#include <cstdint>

namespace muster::worker {

using Secret = std::array<uint64_t, 2>;
using Proof = std::array<uint64_t, 2>;

// A secret from the kernel's random generator; throws if that fails.
Secret random_secret();

// Proves to `to` that `from` knows the secret: SipHash-2-4 keyed with the secret. It reveals neither the secret nor the proof
// of another pair.
Proof proof(const Secret& secret, uint32_t from, uint32_t to);

}  // namespace muster::worker
