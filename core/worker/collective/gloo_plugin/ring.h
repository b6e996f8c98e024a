// SPDX-License-Identifier: Apache-2.0
// The two halves of a ring all_reduce. Data is divided into segments, so that one is reduced or forwarded while others are in
// flight. Each rank receives from the rank before it and sends to the rank after it.
#pragma once

#include <algorithm>

#include "core/worker/collective/gloo_plugin/algorithms.h"

namespace muster::worker {

// Small enough to stay in a core's cache between arrival and reduction.
inline constexpr size_t segment_bytes = size_t{1} << 20;

// Calls apply(offset, length) for each segment of `bytes` bytes; for 0 bytes once, with length 0.
template <typename Apply>
void for_segments(size_t bytes, Apply apply) {
  size_t at = 0;
  do {
    const size_t length = std::min(segment_bytes, bytes - at);
    apply(at, length);
    at += length;
  } while (at < bytes);
}

// The division of elements among the ranks: a first element and a length for each.
class Chunks {
 public:
  // `total` elements, divided as evenly as possible.
  static Chunks shares(size_t total, int ranks) { return Chunks(total, ranks); }
  // `each` elements for every rank.
  static Chunks equal(size_t each, int ranks) { return Chunks(each * ranks, ranks); }

  size_t at(int rank) const { return total_ / ranks_ * rank + std::min<size_t>(rank, total_ % ranks_); }
  size_t size_of(int rank) const { return at(rank + 1) - at(rank); }
  size_t total() const { return total_; }
  size_t largest() const { return size_of(0); }

 private:
  Chunks(size_t total, int ranks) : total_(total), ranks_(ranks) {}
  size_t total_;
  int ranks_;
};

// Reduces `in` of all ranks. `out` has the size of `in` and may be the same memory. Afterwards this rank's chunk of `out` is the
// result; the other chunks are undefined. At least 2 ranks.
void ring_reduce_into(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out);
// Like ring_reduce_into, but `out` is only this rank's chunk; it may be that chunk of `in`.
void ring_reduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out);
// Sends every rank's chunk to all ranks. On entry, each rank's own chunk is at its position in `out`. At least 2 ranks.
void ring_gather(Mesh& mesh, const Operation& operation, const Chunks& chunks, char* out);

}  // namespace muster::worker
