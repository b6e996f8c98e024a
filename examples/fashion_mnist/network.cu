// SPDX-License-Identifier: Apache-2.0
// The network on one GPU: one thread per value, sums by blocks. It is written to be easy to read, not to be fast.
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "network.h"

namespace fm {
namespace {

constexpr int kHalf = kSize / 2, kQuarter = kSize / 4, kThreads = 128;

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string("the GPU failed at ") + what + ": " + cudaGetErrorString(code) +
                           "; nvidia-smi shows its state");
}

// Device memory for at least one value.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) {
    check(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)), "cudaMalloc");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

__device__ int thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Sums one value of each thread of a block; thread 0 gets the result. The order is fixed, so runs repeat bit for bit.
__device__ float block_sum(float value) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  return values[0];
}

__global__ void scale_pixels(const std::uint8_t* bytes, int count, float* to) {
  const int i = thread_number();
  if (i < count) to[i] = (static_cast<float>(bytes[i]) / 255.0F - kMean) / kDeviation;
}

// The sum of one window over all channels of an image; channels have size × size pixels: [image][channel][y][x].
__device__ float window_sum(const float* image, const float* weights, int channels, int size, int y, int x) {
  float sum = 0;
  for (int c = 0; c < channels; ++c) {
    for (int k = 0; k < 9; ++k) {
      const int row = y + k / 3 - 1, column = x + k % 3 - 1;
      if (row < 0 || row >= size || column < 0 || column >= size) continue;
      sum += image[(c * size + row) * size + column] * weights[c * 9 + k];
    }
  }
  return sum;
}

// One thread per pooled value: the maximum of four windows and the index of the first maximum; 0 and index 4 if none is above
// 0.
__global__ void convolve(const float* input, const float* weights, const float* bias, int channels, int filters,
                         int size, int count, float* output, std::uint8_t* choices) {
  const int i = thread_number(), half = size / 2;
  if (i >= count) return;
  const int x = i % half, y = i / half % half, filter = i / (half * half) % filters,
            image = i / (half * half * filters);
  float best = 0;
  std::uint8_t choice = 4;
  for (int k = 0; k < 4; ++k) {
    const float value =
        bias[filter] + window_sum(input + image * channels * size * size, weights + filter * channels * 9, channels,
                                  size, 2 * y + k / 2, 2 * x + k % 2);
    if (value > best) choice = k;
    best = value > best ? value : best;
  }
  output[i] = best;
  choices[i] = choice;
}

// The gradient before relu and pool; one thread per pooled value.
__global__ void pool_back(const float* gradient, const std::uint8_t* choices, int half, int count, float* to) {
  const int i = thread_number();
  if (i >= count) return;
  const int x = i % half, y = i / half % half, map = i / (half * half);
  for (int k = 0; k < 4; ++k) {
    to[(map * 2 * half + 2 * y + k / 2) * 2 * half + 2 * x + k % 2] = choices[i] == k ? gradient[i] : 0.0F;
  }
}

// One block per weight (filter, channel, position), and one per filter for its bias.
__global__ void convolution_gradients(const float* input, const float* gradient, int channels, int filters, int size,
                                      int images, float* weights, float* bias) {
  const int taps = channels * 9, area = size * size, number = blockIdx.x;
  const bool is_bias = number >= filters * taps;
  const int filter = is_bias ? number - filters * taps : number / taps, tap = number % taps;
  const int channel = tap / 9, dy = tap % 9 / 3 - 1, dx = tap % 3 - 1;
  float sum = 0;
  for (int i = threadIdx.x; i < images * area; i += kThreads) {
    const int image = i / area, y = i % area / size, x = i % size;
    const float slope = gradient[(image * filters + filter) * area + y * size + x];
    const int row = y + dy, column = x + dx;
    if (is_bias)
      sum += slope;
    else if (row >= 0 && row < size && column >= 0 && column < size) {
      sum += slope * input[(image * channels + channel) * area + row * size + column];
    }
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) (is_bias ? bias[filter] : weights[number]) = sum;
}

// One thread per input value.
__global__ void convolution_back(const float* gradient, const float* weights, int channels, int filters, int size,
                                 int count, float* to) {
  const int i = thread_number(), area = size * size;
  if (i >= count) return;
  const int x = i % size, y = i / size % size, channel = i / area % channels, image = i / (area * channels);
  float sum = 0;
  for (int filter = 0; filter < filters; ++filter) {
    for (int k = 0; k < 9; ++k) {
      const int row = y - (k / 3 - 1), column = x - (k % 3 - 1);
      if (row < 0 || row >= size || column < 0 || column >= size) continue;
      sum += gradient[(image * filters + filter) * area + row * size + column] *
             weights[(filter * channels + channel) * 9 + k];
    }
  }
  to[i] = sum;
}

// Dense layers: [image][value], weights [input][output].
__global__ void dense(const float* input, const float* weights, const float* bias, int inputs, int outputs, int count,
                      bool relu, float* output) {
  const int i = thread_number();
  if (i >= count) return;
  const int o = i % outputs;
  const float* const values = input + i / outputs * inputs;
  float sum = bias[o];
  for (int k = 0; k < inputs; ++k) sum += values[k] * weights[k * outputs + o];
  output[i] = relu && !(sum > 0) ? 0.0F : sum;
}

// One thread per weight; the weights of input number `inputs` are the bias.
__global__ void dense_gradients(const float* input, const float* gradient, int inputs, int outputs, int images,
                                float* weights, float* bias) {
  const int i = thread_number();
  if (i >= (inputs + 1) * outputs) return;
  const int k = i / outputs, o = i % outputs;
  float sum = 0;
  for (int n = 0; n < images; ++n) sum += (k < inputs ? input[n * inputs + k] : 1.0F) * gradient[n * outputs + o];
  (k < inputs ? weights[i] : bias[o]) = sum;
}

// One thread per input value; with `relu`, the gradient of an input of 0 is 0.
__global__ void dense_back(const float* gradient, const float* weights, const float* input, int inputs, int outputs,
                           int count, bool relu, float* to) {
  const int i = thread_number();
  if (i >= count) return;
  const int k = i % inputs, n = i / inputs;
  float sum = 0;
  for (int o = 0; o < outputs; ++o) sum += gradient[n * outputs + o] * weights[k * outputs + o];
  to[i] = relu && !(input[i] > 0) ? 0.0F : sum;
}

// Cross entropy of softmax and its gradient; one block, in which a thread handles every kThreads-th image.
__global__ void score(const float* scores, const std::uint8_t* labels, int images, float* gradient, float* counts) {
  float loss = 0, right = 0;
  for (int n = threadIdx.x; n < images; n += kThreads) {
    const float* const mine = scores + n * kScores;
    int best = 0;
    for (int c = 1; c < kClasses; ++c) best = mine[c] > mine[best] ? c : best;
    float sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += expf(mine[c] - mine[best]);
    for (int c = 0; c < kScores; ++c) {
      const float share = c < kClasses ? expf(mine[c] - mine[best]) / sum : 0.0F;
      gradient[n * kScores + c] = share - (c == labels[n] ? 1.0F : 0.0F);
    }
    loss += logf(sum) - (mine[labels[n]] - mine[best]);
    right += best == labels[n] ? 1.0F : 0.0F;
  }
  loss = block_sum(loss);
  __syncthreads();  // the second sum uses the memory of the first
  right = block_sum(right);
  if (threadIdx.x == 0) counts[0] = loss, counts[1] = right;
}

// Adds sums over `images` images as their share of the batch's mean.
__global__ void add_share(const float* sums, int count, float images, float batch, std::int32_t* shares) {
  const int i = thread_number();
  if (i >= count) return;
  const float factor = kOne / batch, most = kMost * images * factor;
  shares[i] += static_cast<std::int32_t>(fminf(fmaxf(sums[i] * factor, -most), most));
}

__global__ void descend(float* parameters, float* velocities, const std::int32_t* gradients, float rate,
                        float momentum) {
  const int i = thread_number();
  if (i >= static_cast<int>(kParameters)) return;
  velocities[i] = momentum * velocities[i] + static_cast<float>(gradients[i]) / kOne;
  parameters[i] -= rate * velocities[i];
}

int blocks(std::size_t threads) { return static_cast<int>((threads + kThreads - 1) / kThreads); }

class GpuNetwork final : public Network {
 public:
  explicit GpuNetwork(std::size_t capacity) : capacity_(capacity) {}

  float* state() override { return state_.get(); }
  std::int32_t* shares() override { return shares_.get(); }
  void learn(const Selection& some, std::size_t batch, bool stop) override;
  void judge(const Selection& some, std::size_t batch) override;
  void update(float rate, float momentum) override {
    descend<<<blocks(kParameters), kThreads>>>(state(), state() + kParameters, shares(), rate, momentum);
    finish("a step of descent");
  }
  std::vector<float> copy_state() override { return copy(state(), kState); }
  std::vector<std::int32_t> copy_counts() override { return copy(shares() + kParameters, kShares - kParameters); }
  void set_state(const std::vector<float>& state) override {
    check(cudaMemcpy(state_.get(), state.data(), kState * sizeof(float), cudaMemcpyHostToDevice),
          "writing the weights");
  }

 private:
  static constexpr std::size_t kFirstValues = kFirstMaps * kHalf * kHalf;

  template <class T>
  static std::vector<T> copy(const T* from, std::size_t count) {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "reading results");
    return values;
  }
  // NCCL uses another stream, so its input must be complete before it is called.
  static void finish(const char* what) {
    check(cudaGetLastError(), what);
    check(cudaDeviceSynchronize(), what);
  }
  void load(const Selection& some);
  void forward(const Selection& some, std::size_t batch);
  void backward(int images);
  const float* parameter(std::size_t at) const { return state_.get() + at; }
  float* gradient(std::size_t at) const { return gradients_.get() + at; }

  std::size_t capacity_;
  Array<float> state_{kState}, gradients_{kParameters}, counts_{2};
  Array<std::int32_t> shares_{kShares};
  Array<std::uint8_t> bytes_{capacity_ * kPixels}, labels_{capacity_};
  Array<float> pixels_{capacity_ * kPixels}, middle_{capacity_ * kFirstValues}, features_{capacity_ * kFeatures};
  Array<std::uint8_t> first_choices_{capacity_ * kFirstValues}, second_choices_{capacity_ * kFeatures};
  Array<float> hidden_{capacity_ * kHidden}, scores_{capacity_ * kScores};
  Array<float> to_scores_{capacity_ * kScores}, to_hidden_{capacity_ * kHidden}, to_features_{capacity_ * kFeatures};
  Array<float> to_middle_{capacity_ * kFirstValues};
  Array<float> before_pool_{capacity_ * kFirstValues * 4};  // the size of the first layer's, which is larger
};

void GpuNetwork::load(const Selection& some) {
  std::vector<std::uint8_t> bytes, labels;
  for (std::size_t i = 0; i < some.count; ++i) {
    const auto begin = some.data.pixels.begin() + static_cast<std::ptrdiff_t>(some.images[i]) * kPixels;
    bytes.insert(bytes.end(), begin, begin + kPixels);
    labels.push_back(some.data.labels[some.images[i]]);
  }
  check(cudaMemcpy(bytes_.get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "writing images");
  check(cudaMemcpy(labels_.get(), labels.data(), labels.size(), cudaMemcpyHostToDevice), "writing labels");
  scale_pixels<<<blocks(bytes.size()), kThreads>>>(bytes_.get(), static_cast<int>(bytes.size()), pixels_.get());
}

void GpuNetwork::forward(const Selection& some, std::size_t batch) {
  load(some);
  const int n = static_cast<int>(some.count), first = n * static_cast<int>(kFirstValues), second = n * kFeatures;
  convolve<<<blocks(first), kThreads>>>(pixels_.get(), parameter(kWeights1), parameter(kBias1), 1, kFirstMaps, kSize,
                                        first, middle_.get(), first_choices_.get());
  convolve<<<blocks(second), kThreads>>>(middle_.get(), parameter(kWeights2), parameter(kBias2), kFirstMaps,
                                         kSecondMaps, kHalf, second, features_.get(), second_choices_.get());
  dense<<<blocks(n * kHidden), kThreads>>>(features_.get(), parameter(kWeights3), parameter(kBias3), kFeatures, kHidden,
                                           n * kHidden, true, hidden_.get());
  dense<<<blocks(n * kScores), kThreads>>>(hidden_.get(), parameter(kWeights4), parameter(kBias4), kHidden, kScores,
                                           n * kScores, false, scores_.get());
  score<<<1, kThreads>>>(scores_.get(), labels_.get(), n, to_scores_.get(), counts_.get());
  add_share<<<1, kThreads>>>(counts_.get(), 2, n, batch, shares() + kLoss);
}

void GpuNetwork::backward(int n) {
  const int first = n * static_cast<int>(kFirstValues), second = n * kFeatures;
  dense_gradients<<<blocks((kHidden + 1) * kScores), kThreads>>>(hidden_.get(), to_scores_.get(), kHidden, kScores, n,
                                                                 gradient(kWeights4), gradient(kBias4));
  dense_back<<<blocks(n * kHidden), kThreads>>>(to_scores_.get(), parameter(kWeights4), hidden_.get(), kHidden, kScores,
                                                n * kHidden, true, to_hidden_.get());
  dense_gradients<<<blocks((kFeatures + 1) * kHidden), kThreads>>>(features_.get(), to_hidden_.get(), kFeatures,
                                                                   kHidden, n, gradient(kWeights3), gradient(kBias3));
  dense_back<<<blocks(second), kThreads>>>(to_hidden_.get(), parameter(kWeights3), features_.get(), kFeatures, kHidden,
                                           second, false, to_features_.get());
  pool_back<<<blocks(second), kThreads>>>(to_features_.get(), second_choices_.get(), kQuarter, second,
                                          before_pool_.get());
  convolution_gradients<<<kSecondMaps*(kFirstMaps * 9 + 1), kThreads>>>(
      middle_.get(), before_pool_.get(), kFirstMaps, kSecondMaps, kHalf, n, gradient(kWeights2), gradient(kBias2));
  convolution_back<<<blocks(first), kThreads>>>(before_pool_.get(), parameter(kWeights2), kFirstMaps, kSecondMaps,
                                                kHalf, first, to_middle_.get());
  pool_back<<<blocks(first), kThreads>>>(to_middle_.get(), first_choices_.get(), kHalf, first, before_pool_.get());
  convolution_gradients<<<kFirstMaps*(9 + 1), kThreads>>>(pixels_.get(), before_pool_.get(), 1, kFirstMaps, kSize, n,
                                                          gradient(kWeights1), gradient(kBias1));
}

void GpuNetwork::learn(const Selection& some, std::size_t batch, bool stop) {
  check(cudaMemset(shares(), 0, kShares * sizeof(std::int32_t)), "clearing the shares");
  const std::int32_t vote = stop ? 1 : 0;
  check(cudaMemcpy(shares() + kStopVotes, &vote, sizeof vote, cudaMemcpyHostToDevice), "writing the vote");
  if (some.count > 0) {
    forward(some, batch);
    backward(static_cast<int>(some.count));
    add_share<<<blocks(kParameters), kThreads>>>(gradient(0), kParameters, some.count, batch, shares());
  }
  finish("a step of training");
}

void GpuNetwork::judge(const Selection& some, std::size_t batch) {
  check(cudaMemset(shares() + kParameters, 0, (kShares - kParameters) * sizeof(std::int32_t)), "clearing the counts");
  for (std::size_t begin = 0; begin < some.count; begin += capacity_) {
    forward({some.data, some.images + begin, std::min(capacity_, some.count - begin)}, batch);
  }
  finish("an evaluation");
}

}  // namespace

std::unique_ptr<Network> make_gpu_network(std::size_t capacity) { return std::make_unique<GpuNetwork>(capacity); }

}  // namespace fm
