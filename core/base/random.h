// SPDX-License-Identifier: Apache-2.0
// Random: a small seeded generator of pseudo-random numbers (SplitMix64, Steele et al. 2014). The same seed gives the
// same numbers on every machine, so simulations can be repeated.
//
// A value: copies continue independently. Not for secrets. The composition root takes seeds from the system.
#pragma once

#include <cstdint>

namespace muster {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  // A number in [0, bound); 0 when bound is 0. The bias is below bound / 2^64.
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

  bool operator==(const Random&) const = default;

 private:
  uint64_t state_;
};

}  // namespace muster
