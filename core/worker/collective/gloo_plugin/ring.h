// The two halves of a ring all_reduce, in segments, so that one is reduced or passed on while others travel. Each rank
// receives from the one before it and sends to the one after it.
#pragma once

#include <algorithm>

#include "core/worker/collective/gloo_plugin/algorithms.h"

namespace muster::worker {

// A gradient's share is cut so that its segments stay in a core's cache between their arrival and their reduction.
inline constexpr size_t segment_bytes = size_t{1} << 20;

// The segments of `bytes` bytes: apply(offset, length); one of length 0 where there are none.
template <typename Apply>
void for_segments(size_t bytes, Apply apply) {
  size_t at = 0;
  do {
    const size_t length = std::min(segment_bytes, bytes - at);
    apply(at, length);
    at += length;
  } while (at < bytes);
}

// How elements are divided among the ranks: a first and a length for each.
class Chunks {
 public:
  // `total` elements, as evenly as can be.
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

// Reduces all ranks' `in`. Of `out`, as large as `in` or the same, this rank's chunk is the result, the others are
// spoilt. At least 2 ranks.
void ring_reduce_into(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out);
// Likewise; `out` is this rank's chunk only, and may be that chunk of `in`.
void ring_reduce(Mesh& mesh, const Operation& operation, const Chunks& chunks, const char* in, char* out);
// Every rank's chunk to every rank; each has its own in its place of `out`. At least 2 ranks.
void ring_gather(Mesh& mesh, const Operation& operation, const Chunks& chunks, char* out);

}  // namespace muster::worker
