// What two ranks show each other when they have connected, since Gloo takes whoever comes first to a port for the peer.
// Pure.
#pragma once

#include <array>
#include <cstdint>

namespace muster::worker {

using Secret = std::array<uint64_t, 2>;
using Proof = std::array<uint64_t, 2>;

// From the kernel; throws where it gives none.
Secret random_secret();

// That `from` knows the secret, shown to `to`: SipHash-2-4 keyed with it, so that neither the secret nor another pair's
// proof follows from it.
Proof proof(const Secret& secret, uint32_t from, uint32_t to);

}  // namespace muster::worker
