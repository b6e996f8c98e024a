// The math of training behind one small interface: on the processor (cpu_network.cc) or on a GPU (network.cu).
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

  // kParameters parameters, behind them as many velocities. Like shares(), in memory that the communicator takes: the
  // host's for Gloo, the device's for NCCL.
  virtual float* state() = 0;
  // kShares numbers: gradients, then the counts. Summed over the ranks they are the global batch's means, in units of
  // 1 / kOne.
  virtual std::int32_t* shares() = 0;

  // Writes shares(): what these images add to the means of a batch of `batch`; `stop` as this rank's vote, 0 or 1.
  virtual void learn(const Selection& some, std::size_t batch, bool stop) = 0;
  // Writes loss and right answers only.
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

// `capacity`: images that are worked on at once.
std::unique_ptr<Network> make_cpu_network(std::size_t capacity);
// Only where the program was built with CUDA (FASHION_MNIST_CUDA).
std::unique_ptr<Network> make_gpu_network(std::size_t capacity);

}  // namespace fm
