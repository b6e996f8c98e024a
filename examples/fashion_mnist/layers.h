// SPDX-License-Identifier: Apache-2.0
// The network's layers on the processor. Parameters, activations and gradients are arrays of the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fm {

// Maps of one pack of sixteen images: the value of map c, line y, column x, image n is data[c·map + y·line + x·pixel
// + n].
struct Maps {
  float* data;
  std::ptrdiff_t map, line, pixel;
};

// Windows of 3×3 with a border of zeros, then relu, then the maximum of each 2×2. The input has size × size pixels, the output
// half of that in each direction.
class Convolution {
 public:
  Convolution(int channels, int filters, int size);

  int weights() const { return filters_ * taps_; }                               // [filter][channel][3][3]
  int framed() const { return channels_ * (size_ + 2) * (size_ + 2) * lanes_; }  // floats of an input with its border
  int choices() const { return filters_ * size_ / 2 * size_ / 2 * lanes_; }
  // The inner part of an input with a border of zeros.
  Maps inside(float* input) const { return inside(input, size_); }

  // Writes to `choices`, which backward() needs, for each output which of its four values was the largest; 4: none is above 0.
  void forward(const float* weights, const float* bias, const float* input, const Maps& output, std::uint8_t* choices);
  // Adds this pack's gradients to internal sums. Writes the gradient of the input if `towards_input.data` is not null.
  void backward(const float* weights, const float* input, const Maps& gradient, const std::uint8_t* choices,
                const Maps& towards_input);
  // Returns and resets the gradients that backward() has added since the last call.
  void take_gradients(float* weights, float* bias);

 private:
  Maps inside(float* framed, int size) const;
  void turn_weights(const float* weights);

  int channels_, filters_, size_, taps_;
  static constexpr int lanes_ = 16;
  std::vector<int> windows_, back_windows_;  // offsets of a window's values in a framed input and in framed gradients
  std::vector<float> lines_;                 // two lines of every filter, before the pool
  std::vector<float> framed_gradient_;       // gradient before the pool, with a border
  std::vector<float> turned_;                // [channel][filter][3][3], windows turned by 180 degrees
  std::vector<float> weight_sums_, bias_sums_;
};

// outputs = weights · inputs + bias for columns of images: inputs[i·images + n], weights[i·outputs + o]. Outputs and
// images: a multiple of 16.
class Dense {
 public:
  Dense(int inputs, int outputs);

  int weights() const { return inputs_ * outputs_; }
  int outputs() const { return outputs_; }
  void forward(const float* weights, const float* bias, const float* input, int images, float* output);
  void backward(const float* weights, const float* gradient, int images, float* towards_input);
  // Writes the share of the sixteen images from `first` in the gradients of weights and bias.
  void take_gradients(const float* input, const float* gradient, int images, int first, float* weights, float* bias);

 private:
  void lay_offsets(int count, int pitch);

  int inputs_, outputs_;
  std::vector<int> offsets_;
  std::vector<float> turned_;
};

void relu(float* values, int count);
// gradient := 0 where value is 0.
void relu_back(const float* values, int count, float* gradient);

}  // namespace fm
