// SPDX-License-Identifier: Apache-2.0
#include "layers.h"

#include <algorithm>

#include "gemm.h"
#include "pool.h"
#include "simd.h"

namespace fm {
namespace {

constexpr int kSide = 3;  // side of a window

std::vector<int> window_offsets(int channels, int size) {
  const int framed = size + 2;
  std::vector<int> offsets;
  for (int c = 0; c < channels; ++c) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) offsets.push_back(((c * framed + y) * framed + x) * kLanes);
    }
  }
  return offsets;
}

}  // namespace

Convolution::Convolution(int channels, int filters, int size)
    : channels_(channels),
      filters_(filters),
      size_(size),
      taps_(channels * kSide * kSide),
      windows_(window_offsets(channels, size)),
      back_windows_(window_offsets(filters, size)),
      lines_(filters * 2 * size * kLanes),
      framed_gradient_(filters * (size + 2) * (size + 2) * kLanes),
      turned_(filters * taps_),
      weight_sums_(filters * taps_ * kLanes),
      bias_sums_(filters * kLanes) {
  static_assert(lanes_ == kLanes);
}

Maps Convolution::inside(float* framed, int size) const {
  const std::ptrdiff_t line = (size + 2) * kLanes;
  return {framed + line + kLanes, (size + 2) * line, line, kLanes};
}

void Convolution::forward(const float* weights, const float* bias, const float* input, const Maps& output,
                          std::uint8_t* choices) {
  const int half = size_ / 2, line = size_ * kLanes, framed_line = (size_ + 2) * kLanes;
  for (int y = 0; y < half; ++y) {
    for (int k = 0; k < 2; ++k) {
      multiply({weights, taps_, 1, input + (2 * y + k) * framed_line, windows_.data(), taps_, lines_.data() + k * line,
                2 * line, filters_, line, bias, false});
    }
    for (int f = 0; f < filters_; ++f) {
      const float* upper = lines_.data() + f * 2 * line;
      pool({upper, upper + line, half, output.data + f * output.map + y * output.line, output.pixel,
            choices + (f * half + y) * half * kLanes});
    }
  }
}

void Convolution::backward(const float* weights, const float* input, const Maps& gradient, const std::uint8_t* choices,
                           const Maps& towards_input) {
  const int half = size_ / 2, framed_line = (size_ + 2) * kLanes;
  const Maps before = inside(framed_gradient_.data());
  for (int f = 0; f < filters_; ++f) {
    for (int y = 0; y < half; ++y) {
      float* upper = before.data + f * before.map + 2 * y * before.line;
      pool_back({gradient.data + f * gradient.map + y * gradient.line, gradient.pixel,
                 choices + (f * half + y) * half * kLanes, half, upper, upper + before.line, &bias_sums_[f * kLanes]});
    }
  }
  correlate({before.data, before.map, before.line, input, framed_line, windows_.data(), taps_, filters_, size_,
             size_ * kLanes, weight_sums_.data()});
  if (!towards_input.data) return;
  turn_weights(weights);
  const int taps = filters_ * kSide * kSide;
  for (int y = 0; y < size_; ++y) {
    multiply({turned_.data(), taps, 1, framed_gradient_.data() + y * framed_line, back_windows_.data(), taps,
              towards_input.data + y * towards_input.line, towards_input.map, channels_, size_ * kLanes, nullptr,
              false});
  }
}

// The backward pass is a convolution with the weights turned by 180 degrees: if pixel p contributes to pixel q through tap t,
// q's gradient reaches p through the opposite tap.
void Convolution::turn_weights(const float* weights) {
  constexpr int kWindow = kSide * kSide;
  for (int f = 0; f < filters_; ++f) {
    for (int c = 0; c < channels_; ++c) {
      const float* from = weights + (f * channels_ + c) * kWindow;
      std::reverse_copy(from, from + kWindow, turned_.data() + (c * filters_ + f) * kWindow);
    }
  }
}

void Convolution::take_gradients(float* weights, float* bias) {
  sum_lanes(weight_sums_.data(), filters_ * taps_, weights);
  sum_lanes(bias_sums_.data(), filters_, bias);
  std::fill(weight_sums_.begin(), weight_sums_.end(), 0.0F);
  std::fill(bias_sums_.begin(), bias_sums_.end(), 0.0F);
}

Dense::Dense(int inputs, int outputs) : inputs_(inputs), outputs_(outputs) {}

void Dense::lay_offsets(int count, int pitch) {
  offsets_.resize(count);
  for (int i = 0; i < count; ++i) offsets_[i] = i * pitch;
}

void Dense::forward(const float* weights, const float* bias, const float* input, int images, float* output) {
  lay_offsets(inputs_, images);
  multiply({weights, 1, outputs_, input, offsets_.data(), inputs_, output, images, outputs_, images, bias, false});
}

void Dense::backward(const float* weights, const float* gradient, int images, float* towards_input) {
  lay_offsets(outputs_, images);
  multiply({weights, outputs_, 1, gradient, offsets_.data(), outputs_, towards_input, images, inputs_, images, nullptr,
            false});
}

void Dense::take_gradients(const float* input, const float* gradient, int images, int first, float* weights,
                           float* bias) {
  turned_.resize(static_cast<std::size_t>(kLanes) * outputs_);
  for (int o = 0; o < outputs_; ++o) {
    float sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const float value = gradient[o * images + first + lane];
      turned_[lane * outputs_ + o] = value;
      sum += value;
    }
    bias[o] = sum;
  }
  lay_offsets(kLanes, outputs_);
  multiply({input + first, images, 1, turned_.data(), offsets_.data(), kLanes, weights, outputs_, inputs_, outputs_,
            nullptr, false});
}

void relu(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0.0F;
}

void relu_back(const float* values, int count, float* gradient) {
  for (int i = 0; i < count; ++i) gradient[i] = values[i] > 0 ? gradient[i] : 0.0F;
}

}  // namespace fm
