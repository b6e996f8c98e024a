// Relu and pool in one: the largest of each 2×2 pixels, 0 where none is above 0. Pixels are of sixteen images.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fm {

// One line of `outputs` pixels from two lines, `upper` and `lower`, of twice as many. Writes pixel x to `to` + x ·
// `pixel`, and to `choices` for each value which of the four it was, in reading order; 4: none.
struct Pool {
  const float *upper, *lower;
  int outputs;
  float* to;
  std::ptrdiff_t pixel;
  std::uint8_t* choices;
};
void pool(const Pool& line);

// The way back: of each four, the chosen one gets the gradient, the others 0. Adds what went to each lane to `sum`.
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
