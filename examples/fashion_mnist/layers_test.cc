// SPDX-License-Identifier: Apache-2.0
// Compares gradients with difference quotients: with loss = Σ output · factor, each gradient must be the slope of the loss.
#include "layers.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

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

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

// Compares the slope of `loss` in some of `values` with `gradient`. Where relu or pool have a kink, the left and right slopes
// differ, and the gradient may differ by as much.
void expect_slopes(std::vector<float>& values, const std::vector<float>& gradient,
                   const std::function<double()>& loss) {
  const std::size_t stride = values.size() / 40 + 1;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const float kept = values[i], step = 1e-3F;
    const double here = loss();
    values[i] = kept + step;
    const double right = (loss() - here) / step;
    values[i] = kept - step;
    const double left = (here - loss()) / step;
    values[i] = kept;
    const double bend = std::abs(right - left), tolerance = 5e-3 * (1 + std::abs(gradient[i]));
    EXPECT_NEAR(gradient[i], (left + right) / 2, bend + tolerance) << "value " << i;
  }
}

struct ConvolutionUnderTest {
  static constexpr int channels = 3, filters = 5, size = 4;
  Convolution layer{channels, filters, size};
  std::vector<float> weights = noise(layer.weights(), 1), bias = noise(filters, 2);
  std::vector<float> input = std::vector<float>(layer.framed());
  std::vector<float> output = std::vector<float>(filters * 4 * kLanes), factors = noise(output.size(), 3);
  std::vector<std::uint8_t> choices = std::vector<std::uint8_t>(layer.choices());

  ConvolutionUnderTest() {
    const Maps inside = layer.inside(input.data());
    Random random(4);
    for (int line = 0; line < channels * size; ++line) {
      float* const begin = inside.data + line / size * inside.map + line % size * inside.line;
      for (int i = 0; i < size * kLanes; ++i) begin[i] = random.unit() - 0.5F;
    }
  }
  Maps maps(std::vector<float>& array) { return {array.data(), 4 * kLanes, 2 * kLanes, kLanes}; }
  double loss() {
    layer.forward(weights.data(), bias.data(), input.data(), maps(output), choices.data());
    return dot(output, factors);
  }
};

TEST(Convolution, WeightAndBiasGradientsAreSlopes) {
  ConvolutionUnderTest test;
  test.loss();
  test.layer.backward(test.weights.data(), test.input.data(), test.maps(test.factors), test.choices.data(), {});
  std::vector<float> weights(test.weights.size()), bias(test.bias.size());
  test.layer.take_gradients(weights.data(), bias.data());
  expect_slopes(test.weights, weights, [&] { return test.loss(); });
  expect_slopes(test.bias, bias, [&] { return test.loss(); });
}

TEST(Convolution, InputGradientsAreSlopes) {
  ConvolutionUnderTest test;
  test.loss();
  std::vector<float> gradient(test.input.size());
  test.layer.backward(test.weights.data(), test.input.data(), test.maps(test.factors), test.choices.data(),
                      test.layer.inside(gradient.data()));
  std::vector<float> kept = test.input;  // the border is not part of the input, so its gradient stays 0
  const Maps inside = test.layer.inside(test.input.data());
  for (int line = 0; line < test.channels * test.size; ++line) {
    const std::ptrdiff_t at = line / test.size * inside.map + line % test.size * inside.line + line % kLanes;
    const float step = 1e-3F, here = inside.data[at];
    const double middle = test.loss();
    inside.data[at] = here + step;
    const double right = (test.loss() - middle) / step;
    inside.data[at] = here - step;
    const double left = (middle - test.loss()) / step;
    inside.data[at] = here;
    const float found = test.layer.inside(gradient.data()).data[at];
    EXPECT_NEAR(found, (left + right) / 2, std::abs(right - left) + 5e-3) << "line " << line;
  }
  EXPECT_EQ(test.input, kept);
}

TEST(Convolution, GradientsAddUpOverPacksAndBeginAnewWhenTaken) {
  ConvolutionUnderTest test;
  test.loss();
  std::vector<float> once(test.weights.size()), twice(once.size()), bias(test.bias.size());
  const auto back = [&] {
    test.layer.backward(test.weights.data(), test.input.data(), test.maps(test.factors), test.choices.data(), {});
  };
  back();
  test.layer.take_gradients(once.data(), bias.data());
  back();
  back();
  test.layer.take_gradients(twice.data(), bias.data());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(twice[i], 2 * once[i], 1e-4);
}

TEST(Dense, GradientsAreSlopes) {
  constexpr int kInputs = 37, kOutputs = 16, kImages = 32;
  Dense layer(kInputs, kOutputs);
  std::vector<float> weights = noise(layer.weights(), 1), bias = noise(kOutputs, 2),
                     input = noise(kInputs * kImages, 3);
  std::vector<float> output(kOutputs * kImages), factors = noise(output.size(), 4);
  const auto loss = [&] {
    layer.forward(weights.data(), bias.data(), input.data(), kImages, output.data());
    return dot(output, factors);
  };
  std::vector<float> to_weights(weights.size()), to_bias(bias.size()), to_input(input.size());
  layer.backward(weights.data(), factors.data(), kImages, to_input.data());
  for (int first = 0; first < kImages; first += kLanes) {
    std::vector<float> weights_share(weights.size()), bias_share(bias.size());
    layer.take_gradients(input.data(), factors.data(), kImages, first, weights_share.data(), bias_share.data());
    for (std::size_t i = 0; i < weights.size(); ++i) to_weights[i] += weights_share[i];
    for (std::size_t i = 0; i < bias.size(); ++i) to_bias[i] += bias_share[i];
  }
  expect_slopes(weights, to_weights, loss);
  expect_slopes(bias, to_bias, loss);
  expect_slopes(input, to_input, loss);
}

TEST(Relu, AndItsWayBack) {
  std::vector<float> values = {-1, 0, 2}, gradient = {5, 6, 7};
  relu(values.data(), 3);
  EXPECT_EQ(values, (std::vector<float>{0, 0, 2}));
  relu_back(values.data(), 3, gradient.data());
  EXPECT_EQ(gradient, (std::vector<float>{0, 0, 7}));
}

}  // namespace
}  // namespace fm
