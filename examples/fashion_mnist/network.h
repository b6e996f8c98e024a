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

struct Step {
  float rate, momentum;
  float scale;  // 1 / images of the global batch: gradients are sums over images until then
};

class Network {
 public:
  virtual ~Network() = default;

  // kParameters parameters, behind them as many velocities. Like sums(), in memory that the communicator takes: the host's for
  // Gloo, the device's for NCCL.
  virtual float* state() = 0;
  // kSums floats: sums of gradients over the images last learned, then the tally.
  virtual float* sums() = 0;

  // Writes sums(): gradients, loss, right answers; `stop` as this rank's vote.
  virtual void learn(const Selection& some, bool stop) = 0;
  // Writes only loss and right answers, of all the images.
  virtual void judge(const Selection& some) = 0;
  // velocity := momentum · velocity + scale · gradient; parameter -= rate · velocity.
  virtual void update(const Step& step) = 0;

  virtual std::vector<float> copy_state() = 0;
  virtual void set_state(const std::vector<float>& state) = 0;
  // The last three of sums().
  virtual std::vector<float> copy_tally() = 0;
};

constexpr std::size_t kState = 2 * kParameters;

// Parameters from the seed (uniform within ±1/√inputs, as PyTorch does), velocities 0.
std::vector<float> first_state(std::uint64_t seed);

// `capacity`: images that are worked on at once.
std::unique_ptr<Network> make_cpu_network(std::size_t capacity);
// Only where the program was built with CUDA (FASHION_MNIST_CUDA).
std::unique_ptr<Network> make_gpu_network(std::size_t capacity);

}  // namespace fm
