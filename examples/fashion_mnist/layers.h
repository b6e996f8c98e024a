// The network's layers on the processor. A layer owns nothing: parameters, activations and gradients are the caller's
// arrays.
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

// Windows of 3×3 with a border of zeros, then relu, then the largest of each 2×2. Input of size × size, output of
// half that.
class Convolution {
 public:
  Convolution(int channels, int filters, int size);

  int weights() const { return filters_ * taps_; }  // [filter][channel][3][3], and a bias for each filter
  int framed() const { return channels_ * (size_ + 2) * (size_ + 2) * lanes_; }  // floats of an input with its border
  int choices() const { return filters_ * size_ / 2 * size_ / 2 * lanes_; }
  // The inside of a framed input (whose border is zero).
  Maps inside(float* input) const { return inside(input, size_); }

  // `choices`: bytes that backward() wants again: which of four was the largest; 4: none, for relu.
  void forward(const float* weights, const float* bias, const float* input, const Maps& output, std::uint8_t* choices);
  // Adds this pack's gradients to sums of its own, and writes the gradient of the input where `towards_input.data` is
  // not null.
  void backward(const float* weights, const float* input, const Maps& gradient, const std::uint8_t* choices,
                const Maps& towards_input);
  // What backward() added since the last call.
  void take_gradients(float* weights, float* bias);

 private:
  Maps inside(float* framed, int size) const;
  void turn_weights(const float* weights);

  int channels_, filters_, size_, taps_;
  static constexpr int lanes_ = 16;
  std::vector<int> windows_, back_windows_;  // where window values lie in a framed input, in framed gradients
  std::vector<float> lines_;                 // two lines of every filter, before the pool
  std::vector<float> framed_gradient_;       // of what comes before the pool
  std::vector<float> turned_;                // [channel][filter][3][3], windows upside down
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
  // Writes what the pack of sixteen images from `first` adds to the gradients of weights and bias.
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
