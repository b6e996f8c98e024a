// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include "simd.h"

namespace fm {
namespace {

template <class W>
FM_INLINE void better(const float* candidate, int number, typename W::Vector& best, typename W::Integers& choice) {
  const typename W::Vector value = W::load(candidate);
  const typename W::Integers wins = value > best;
  choice = wins ? typename W::Integers{} + number : choice;
  best = wins ? value : best;
}

template <class W>
FM_INLINE void forward(const Pool& p) {
  for (int x = 0; x < p.outputs; ++x) {
    for (int lane = 0; lane < kLanes; lane += W::floats) {
      const int left = 2 * x * kLanes + lane, right = left + kLanes;
      typename W::Vector best{};
      typename W::Integers choice = typename W::Integers{} + 4;
      better<W>(p.upper + left, 0, best, choice);
      better<W>(p.upper + right, 1, best, choice);
      better<W>(p.lower + left, 2, best, choice);
      better<W>(p.lower + right, 3, best, choice);
      W::store(p.to + x * p.pixel + lane, best);
      auto* const to = reinterpret_cast<typename W::Bytes*>(p.choices + x * kLanes + lane);
      *to = __builtin_convertvector(choice, typename W::Bytes);
    }
  }
}

template <class W>
FM_INLINE void backward(const PoolBack& p) {
  for (int lane = 0; lane < kLanes; lane += W::floats) {
    typename W::Vector sum = W::load(p.sum + lane);
    const typename W::Vector zero{};
    for (int x = 0; x < p.outputs; ++x) {
      const int left = 2 * x * kLanes + lane, right = left + kLanes;
      const auto* const choices = reinterpret_cast<const typename W::Bytes*>(p.choices + x * kLanes + lane);
      const typename W::Integers choice = __builtin_convertvector(*choices, typename W::Integers);
      const typename W::Vector gradient = W::load(p.from + x * p.pixel + lane);
      W::store(p.upper + left, choice == 0 ? gradient : zero);
      W::store(p.upper + right, choice == 1 ? gradient : zero);
      W::store(p.lower + left, choice == 2 ? gradient : zero);
      W::store(p.lower + right, choice == 3 ? gradient : zero);
      sum += choice == 4 ? zero : gradient;
    }
    W::store(p.sum + lane, sum);
  }
}

void pool_plainly(const Pool& p) { forward<Plain>(p); }
void back_plainly(const PoolBack& p) { backward<Plain>(p); }
#if defined(__x86_64__)
FM_AVX512 void pool_512(const Pool& p) { forward<Avx512>(p); }
FM_AVX512 void back_512(const PoolBack& p) { backward<Avx512>(p); }
FM_AVX2 void pool_256(const Pool& p) { forward<Avx2>(p); }
FM_AVX2 void back_256(const PoolBack& p) { backward<Avx2>(p); }
#else
constexpr auto *pool_512 = pool_plainly, *pool_256 = pool_plainly;
constexpr auto *back_512 = back_plainly, *back_256 = back_plainly;
#endif

}  // namespace

void pool(const Pool& line) { widest(pool_plainly, pool_256, pool_512)(line); }
void pool_back(const PoolBack& line) { widest(back_plainly, back_256, back_512)(line); }

}  // namespace fm
