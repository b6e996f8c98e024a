// SPDX-License-Identifier: Apache-2.0
#include "gemm.h"

#include <algorithm>

#include "simd.h"

namespace fm {
namespace {

// The number of lines of b that are used at a time. With 64 floats each, they stay in the first-level cache while the rows of
// c are computed.
constexpr int kDepth = 144;

template <class W, int Rows, int Vectors>
FM_INLINE void product_tile(const Product& p, int row, int column) {
  typename W::Vector sum[Rows][Vectors];
  float* c = p.c + row * p.c_row + column;
  const float* a[Rows];
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
    a[i] = p.a + (row + i) * p.a_row;
    const float start = p.bias ? p.bias[row + i] : 0.0F;
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) {
      sum[i][j] = typename W::Vector{} + start;
      if (p.add) sum[i][j] += W::load(c + i * p.c_row + j * W::floats);
    }
  }
  const std::ptrdiff_t step = p.a_column;
  for (int k = 0; k < p.depth; ++k) {
    const float* b = p.b + p.offsets[k] + column;
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const typename W::Vector factor = typename W::Vector{} + *a[i];
      a[i] += step;
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) sum[i][j] += factor * W::load(b + j * W::floats);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) W::store(c + i * p.c_row + j * W::floats, sum[i][j]);
  }
}

template <class W, int Vectors>
FM_INLINE void product_columns(const Product& p, int column) {
  int row = 0;
  for (; row + W::rows <= p.rows; row += W::rows) product_tile<W, W::rows, Vectors>(p, row, column);
  for (; row < p.rows; ++row) product_tile<W, 1, Vectors>(p, row, column);
}

template <class W>
FM_INLINE void product_piece(const Product& p) {
  int column = 0;
  const int sevens =
      p.width / W::floats % 7 == 0 ? p.width : 0;  // true for 28 and 14 pixels, rarely for batches of 2^n
  for (; column < sevens; column += 7 * W::floats) product_columns<W, 7>(p, column);
  for (; column + 4 * W::floats <= p.width; column += 4 * W::floats) product_columns<W, 4>(p, column);
  for (; column + 2 * W::floats <= p.width; column += 2 * W::floats) product_columns<W, 2>(p, column);
  for (; column < p.width; column += W::floats) product_columns<W, 1>(p, column);
}

template <class W>
FM_INLINE void product(const Product& whole) {
  Product piece = whole;
  for (int k = 0; k < whole.depth || k == 0; k += kDepth) {
    piece.a = whole.a + k * whole.a_column;
    piece.offsets = whole.offsets + k;
    piece.depth = std::min(kDepth, whole.depth - k);
    product_piece<W>(piece);
    piece.bias = nullptr;
    piece.add = true;
  }
}

template <class W, int Rows, int Taps>
FM_INLINE void correlation_tile(const Correlation& x, int row, int tap) {
  typename W::Vector sum[Rows][Taps] = {};
  const int* offsets = x.offsets + tap;
  for (int y = 0; y < x.lines; ++y) {
    const float* a = x.a + row * x.a_row + y * x.a_line;
    const float* b = x.b + y * x.b_line;
    for (int t = 0; t < x.width; t += W::floats) {
      typename W::Vector left[Rows];
#pragma GCC unroll 8
      for (int i = 0; i < Rows; ++i) left[i] = W::load(a + i * x.a_row + t);
#pragma GCC unroll 8
      for (int k = 0; k < Taps; ++k) {
        const typename W::Vector right = W::load(b + offsets[k] + t);
#pragma GCC unroll 8
        for (int i = 0; i < Rows; ++i) sum[i][k] += left[i] * right;
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int k = 0; k < Taps; ++k) {
      float* to = x.sums + (static_cast<std::ptrdiff_t>(row + i) * x.taps + tap + k) * kLanes;
      W::store(to, W::load(to) + sum[i][k]);
    }
  }
}

template <class W, int Rows>
FM_INLINE void correlation_rows(const Correlation& x, int row) {
  int tap = 0;
  for (; tap + 6 <= x.taps; tap += 6) correlation_tile<W, Rows, 6>(x, row, tap);
  for (; tap + 3 <= x.taps; tap += 3) correlation_tile<W, Rows, 3>(x, row, tap);
  for (; tap < x.taps; ++tap) correlation_tile<W, Rows, 1>(x, row, tap);
}

template <class W>
FM_INLINE void correlation(const Correlation& x) {
  int row = 0;
  for (; row + W::rows <= x.rows; row += W::rows) correlation_rows<W, W::rows>(x, row);
  for (; row < x.rows; ++row) correlation_rows<W, 1>(x, row);
}

void multiply_plainly(const Product& p) { product<Plain>(p); }
void correlate_plainly(const Correlation& x) { correlation<Plain>(x); }
#if defined(__x86_64__)
FM_AVX512 void multiply_512(const Product& p) { product<Avx512>(p); }
FM_AVX512 void correlate_512(const Correlation& x) { correlation<Avx512>(x); }
FM_AVX2 void multiply_256(const Product& p) { product<Avx2>(p); }
FM_AVX2 void correlate_256(const Correlation& x) { correlation<Avx2>(x); }
#else
constexpr auto *multiply_512 = multiply_plainly, *multiply_256 = multiply_plainly;
constexpr auto *correlate_512 = correlate_plainly, *correlate_256 = correlate_plainly;
#endif

}  // namespace

void multiply(const Product& product) { widest(multiply_plainly, multiply_256, multiply_512)(product); }

void correlate(const Correlation& correlation) { widest(correlate_plainly, correlate_256, correlate_512)(correlation); }

void sum_lanes(const float* from, int count, float* to) {
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) sum += from[i * kLanes + lane];
    to[i] = sum;
  }
}

}  // namespace fm
