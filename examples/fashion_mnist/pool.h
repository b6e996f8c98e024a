// SPDX-License-Identifier: Apache-2.0
// Relu and pool together: the maximum of each 2×2 pixels, or 0 if none is above 0. A pixel has the values of sixteen images.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fm {

// Computes one line of `outputs` pixels from two lines, `upper` and `lower`, of twice as many. Writes pixel x to `to` + x ·
// `pixel`, and to `choices` for each value the index of the maximum among the four, in reading order; 4: none.
struct Pool {
  const float *upper, *lower;
  int outputs;
  float* to;
  std::ptrdiff_t pixel;
  std::uint8_t* choices;
};
void pool(const Pool& line);

// The backward pass: of each four, the chosen one gets the gradient, the others 0. Adds the gradients of each lane to `sum`.
struct PoolBack {
  const float* from;
  std::ptrdiff_t pixel;
  const std::uint8_t* choices;
  int outputs;
  float *upper, *lower;
  float* sum;
};
void pool_back(const PoolBack& line);

}  // namespace fm
