// SPDX-License-Identifier: Apache-2.0
#include "gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pool.h"
#include "schedule.h"
#include "simd.h"

namespace fm {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.unit() - 0.5F;
  return values;
}

struct Shape {
  int rows, width, depth;
  bool bias, add;
};

class Multiply : public testing::TestWithParam<Shape> {};

TEST_P(Multiply, AsThreeLoopsDo) {
  const auto [rows, width, depth, with_bias, add] = GetParam();
  const std::vector<float> a = noise(rows * depth, 1), b = noise(depth * width + 3, 2), bias = noise(rows, 3);
  std::vector<float> c = noise(rows * (width + 5), 4);
  std::vector<float> expected = c;
  std::vector<int> offsets;
  for (int k = 0; k < depth; ++k) offsets.push_back((depth - 1 - k) * width + k % 4);  // arbitrary offsets
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < width; ++j) {
      double sum = (with_bias ? bias[i] : 0.0) + (add ? c[i * (width + 5) + j] : 0.0);
      for (int k = 0; k < depth; ++k) sum += double{a[i + k * rows]} * b[offsets[k] + j];
      expected[i * (width + 5) + j] = static_cast<float>(sum);
    }
  }
  multiply({a.data(), 1, rows, b.data(), offsets.data(), depth, c.data(), width + 5, rows, width,
            with_bias ? bias.data() : nullptr, add});
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(c[i], expected[i], 1e-4) << i;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Multiply,
                         testing::Values(Shape{4, 112, 9, true, false}, Shape{5, 448, 144, true, false},
                                         Shape{7, 16, 3, false, false}, Shape{64, 64, 300, true, true},
                                         Shape{3, 48, 145, false, true}, Shape{1, 32, 1, true, true},
                                         Shape{2, 224, 288, false, false}, Shape{6, 96, 0, true, false}));

class Correlate : public testing::TestWithParam<Shape> {};

TEST_P(Correlate, AsFourLoopsDo) {
  const auto [rows, width, taps, unused_bias, unused_add] = GetParam();
  const int lines = 3, a_line = width + 16, b_line = width + 32;
  const std::vector<float> a = noise(rows * lines * a_line, 1), b = noise(lines * b_line + taps * 7, 2);
  std::vector<float> sums(rows * taps * kLanes, 0.25F), totals(rows * taps);
  std::vector<int> offsets;
  for (int k = 0; k < taps; ++k) offsets.push_back(k * 7);
  correlate(
      {a.data(), lines * a_line, a_line, b.data(), b_line, offsets.data(), taps, rows, lines, width, sums.data()});
  sum_lanes(sums.data(), rows * taps, totals.data());
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < taps; ++k) {
      double sum = 4;  // 16 lanes began with 0.25
      for (int y = 0; y < lines; ++y) {
        for (int t = 0; t < width; ++t) sum += double{a[(i * lines + y) * a_line + t]} * b[offsets[k] + y * b_line + t];
      }
      EXPECT_NEAR(totals[i * taps + k], sum, 1e-3) << i << ", " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Correlate,
                         testing::Values(Shape{16, 448, 9, false, false}, Shape{5, 16, 7, false, false},
                                         Shape{1, 32, 1, false, false}, Shape{32, 224, 144, false, false}));

TEST(Pool, TakesTheFirstOfTheLargestAndNothingBelowZero) {
  std::vector<float> upper(4 * kLanes), lower(4 * kLanes), to(2 * kLanes);
  std::vector<std::uint8_t> choices(2 * kLanes);
  upper[1] = -1, upper[kLanes + 1] = 2, lower[1] = 2, lower[kLanes + 1] = 1;  // image 1, first pixel
  lower[2 * kLanes + 3] = 5;                                                  // image 3, second pixel
  pool({upper.data(), lower.data(), 2, to.data(), kLanes, choices.data()});
  EXPECT_EQ(to[1], 2);
  EXPECT_EQ(choices[1], 1);
  EXPECT_EQ(to[kLanes + 3], 5);
  EXPECT_EQ(choices[kLanes + 3], 2);
  EXPECT_EQ(to[0], 0);
  EXPECT_EQ(choices[0], 4);
}

TEST(Pool, GivesTheGradientToTheChosenOne) {
  const std::vector<float> from(2 * kLanes, 3.0F);
  std::vector<std::uint8_t> choices(2 * kLanes, 4);
  choices[5] = 0, choices[kLanes + 6] = 3;
  std::vector<float> upper(4 * kLanes, 9.0F), lower(4 * kLanes, 9.0F), sum(kLanes, 1.0F);
  pool_back({from.data(), kLanes, choices.data(), 2, upper.data(), lower.data(), sum.data()});
  EXPECT_EQ(upper[5], 3);
  EXPECT_EQ(lower[3 * kLanes + 6], 3);
  EXPECT_EQ(sum[5], 4);
  EXPECT_EQ(sum[7], 1);
  upper[5] = lower[3 * kLanes + 6] = 0;
  EXPECT_EQ(upper, std::vector<float>(4 * kLanes, 0.0F));
  EXPECT_EQ(lower, std::vector<float>(4 * kLanes, 0.0F));
}

}  // namespace
}  // namespace fm
