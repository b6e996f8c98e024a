// SPDX-License-Identifier: Apache-2.0
// The two loops that take 90 % of the time: matrix products in which the lines of one operand are found by offsets. A
// convolution is such a product: its lines are windows of the image, so offsets replace a copied im2col matrix.
#pragma once

#include <cstddef>

namespace fm {

// c[i][j] = start + Σ_k a[i·a_row + k·a_column] · b[offsets[k] + j], for i < rows, j < width.
struct Product {
  const float* a;
  std::ptrdiff_t a_row, a_column;
  const float* b;
  const int* offsets;
  int depth;  // values of k
  float* c;
  std::ptrdiff_t c_row;
  int rows, width;    // width: a multiple of 16
  const float* bias;  // start is bias[i], or 0 if bias is null
  bool add;           // true: the old value of c[i][j] is added to start
};
void multiply(const Product& product);

// sums[i][k][·] += Σ_y Σ_t a[i·a_row + y·a_line + t] · b[offsets[k] + y·b_line + t], for y < lines, t < width. Each
// sum is kept as sixteen partial sums; sum_lanes() adds them at the end of a step.
struct Correlation {
  const float* a;
  std::ptrdiff_t a_row, a_line;
  const float* b;
  std::ptrdiff_t b_line;
  const int* offsets;
  int taps;  // values of k
  int rows, lines, width;
  float* sums;
};
void correlate(const Correlation& correlation);

// to[i] = the sum of the sixteen floats from[16·i ...].
void sum_lanes(const float* from, int count, float* to);

}  // namespace fm
