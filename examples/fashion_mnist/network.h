// SPDX-License-Identifier: Apache-2.0
// The interface of the network, with implementations for the processor (cpu_network.cc) and for a GPU (network.cu).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset.h"
#include "shape.h"

namespace fm {

// Some of a dataset's images, by number.
struct Selection {
  const Dataset& data;
  const std::uint32_t* images;
  std::size_t count;
};

class Network {
 public:
  virtual ~Network() = default;

  // kParameters parameters, followed by as many velocities. Like shares(), in the memory that the communicator needs: host
  // memory for Gloo, device memory for NCCL.
  virtual float* state() = 0;
  // kShares numbers: gradients, then the counts. Their sums over all ranks are the means of the global batch, in units of
  // 1 / kOne.
  virtual std::int32_t* shares() = 0;

  // Writes shares(): the share of these images in the means of a batch of `batch` images, and this rank's vote to stop.
  virtual void learn(const Selection& some, std::size_t batch, bool stop) = 0;
  // Like learn(), but writes only the loss and the number of right answers.
  virtual void judge(const Selection& some, std::size_t batch) = 0;
  // velocity := momentum · velocity + gradient; parameter -= rate · velocity.
  virtual void update(float rate, float momentum) = 0;

  virtual std::vector<float> copy_state() = 0;
  virtual void set_state(const std::vector<float>& state) = 0;
  // The last three of shares().
  virtual std::vector<std::int32_t> copy_counts() = 0;
};

constexpr std::size_t kState = 2 * kParameters;

// Parameters from the seed (uniform within ±1/√inputs, as PyTorch does), velocities 0.
std::vector<float> first_state(std::uint64_t seed);

// `capacity`: the largest number of images per call.
std::unique_ptr<Network> make_cpu_network(std::size_t capacity);
// Only if the program was built with CUDA (FASHION_MNIST_CUDA).
std::unique_ptr<Network> make_gpu_network(std::size_t capacity);

}  // namespace fm
