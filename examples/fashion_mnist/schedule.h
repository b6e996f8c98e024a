// SPDX-License-Identifier: Apache-2.0
// The images and the learning rate of a step, and the slice of each rank. They depend only on the seed and the number of the
// step, so any number of ranks, and a resumed run, use the same batches.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fm {

// SplitMix64: gives the same numbers on every machine, which std::shuffle does not guarantee.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  float unit();  // [0, 1)

 private:
  std::uint64_t state_;
};

class Schedule {
 public:
  // Each epoch uses every image once; its last batch may be smaller.
  Schedule(std::size_t images, std::size_t batch, std::uint64_t epochs, std::uint64_t seed);

  std::uint64_t steps_per_epoch() const { return (images_ + batch_ - 1) / batch_; }
  std::uint64_t steps() const { return epochs_ * steps_per_epoch(); }
  std::uint64_t epoch(std::uint64_t step) const { return step / steps_per_epoch(); }
  bool ends_epoch(std::uint64_t step) const { return (step + 1) % steps_per_epoch() == 0; }

  // The numbers of the images of a step's global batch. Valid until the next call.
  std::pair<const std::uint32_t*, std::size_t> batch(std::uint64_t step);
  // Falls linearly from `most` to 0.
  float rate(std::uint64_t step, float most) const;

 private:
  void shuffle(std::uint64_t epoch);

  std::size_t images_, batch_;
  std::uint64_t epochs_, seed_;
  std::uint64_t shuffled_ = ~std::uint64_t{0};  // the epoch of order_
  std::vector<std::uint32_t> order_;
};

// The slice [first, second) of `count` images for a rank. Slices consist of whole packs of sixteen images, except for the last
// one: a pack that is not full costs the same, and the sums of a pack are rounded (shape.h). Sizes differ by at most one pack
// and may be 0.
std::pair<std::size_t, std::size_t> slice(std::size_t count, std::uint32_t rank, std::uint32_t ranks);

}  // namespace fm
