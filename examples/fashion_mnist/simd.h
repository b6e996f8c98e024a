// SPDX-License-Identifier: Apache-2.0
// Selects the vector instructions of the loops. The binary runs on any processor of its family: each loop is compiled several
// times, and the widest version that the processor supports is called. Nothing depends on the machine that builds.
#pragma once

#include <cstddef>

// For loops that are templates, called from functions with different target instructions.
#define FM_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define FM_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))
#define FM_AVX2 __attribute__((target("avx2,fma")))
#endif

namespace fm {

// Images are interleaved in packs of sixteen, so that one vector holds the same pixel of sixteen images. No layer needs to
// gather, and windows, pools and borders are the same for all lanes.
constexpr int kLanes = 16;

constexpr int round_to_lanes(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Vectors of `Floats` floats at any address; TileRows is the number of lines of a product that are computed at once. The
// accumulators must fit in the registers: 32 of 16 floats, 16 of 8, 16 or more of 4.
template <int Floats, int TileRows>
struct Width {
  static constexpr int floats = Floats;
  static constexpr int rows = TileRows;
  typedef float Vector __attribute__((vector_size(Floats * 4)));
  typedef float Loose __attribute__((vector_size(Floats * 4), aligned(4), may_alias));
  typedef int Integers __attribute__((vector_size(Floats * 4)));
  typedef unsigned char Bytes __attribute__((vector_size(Floats), aligned(1), may_alias));

  static FM_INLINE Vector load(const float* from) { return *reinterpret_cast<const Loose*>(from); }
  static FM_INLINE void store(float* to, const Vector& vector) { *reinterpret_cast<Loose*>(to) = vector; }
};
using Plain = Width<4, 2>;
using Avx2 = Width<8, 2>;
using Avx512 = Width<16, 4>;

enum class Processor { plain, avx2, avx512 };

inline Processor processor() {
#if defined(__x86_64__)
  static const Processor found = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
      return Processor::avx512;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Processor::avx2 : Processor::plain;
  }();
  return found;
#else
  return Processor::plain;
#endif
}

// Returns the function for this processor.
template <class Function>
Function* widest(Function* plain, Function* avx2, Function* avx512) {
  const Processor found = processor();
  return found == Processor::avx512 ? avx512 : found == Processor::avx2 ? avx2 : plain;
}

}  // namespace fm
