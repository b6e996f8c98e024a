// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <algorithm>
#include <numeric>

#include "simd.h"

namespace fm {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

float Random::unit() { return static_cast<float>(next() >> 40U) / static_cast<float>(1U << 24U); }

Schedule::Schedule(std::size_t images, std::size_t batch, std::uint64_t epochs, std::uint64_t seed)
    : images_(images),
      batch_(batch),
      epochs_(epochs),
      seed_(seed),
      order_(images) {}

void Schedule::shuffle(std::uint64_t epoch) {
  std::iota(order_.begin(), order_.end(), 0U);
  Random random(seed_ * 1'000'003U + epoch + 1);
  for (std::size_t left = images_; left > 1; --left) std::swap(order_[left - 1], order_[random.next() % left]);
  shuffled_ = epoch;
}

std::pair<const std::uint32_t*, std::size_t> Schedule::batch(std::uint64_t step) {
  if (shuffled_ != epoch(step)) shuffle(epoch(step));
  const std::size_t begin = step % steps_per_epoch() * batch_;
  return {order_.data() + begin, std::min(batch_, images_ - begin)};
}

float Schedule::rate(std::uint64_t step, float most) const {
  return most * (1.0F - static_cast<float>(step) / static_cast<float>(steps()));
}

std::pair<std::size_t, std::size_t> slice(std::size_t count, std::uint32_t rank, std::uint32_t ranks) {
  const std::size_t packs = (count + kLanes - 1) / kLanes;
  const auto begin = [&](std::size_t number) { return std::min(count, packs * number / ranks * kLanes); };
  return {begin(rank), begin(rank + std::size_t{1})};
}

}  // namespace fm
