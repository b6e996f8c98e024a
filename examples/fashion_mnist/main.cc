// SPDX-License-Identifier: Apache-2.0
// Trains a small convolutional network on Fashion-MNIST, data-parallel: an example program that uses libmuster.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <muster/muster.hpp>

#include "network.h"
#include "options.h"
#include "schedule.h"
#include "training.h"

namespace {

// Without the CUDA part the data is in host memory, which NCCL cannot use.
constexpr muster::Backend backend() {
#ifdef FASHION_MNIST_CUDA
  return muster::Backend::automatic;
#else
  return muster::Backend::gloo;
#endif
}

std::unique_ptr<fm::Network> make_network(const muster::Communicator& world, std::size_t batch) {
  const auto [from, to] = fm::slice(batch, world.size() - 1, world.size());
  const std::size_t capacity =
      std::max<std::size_t>(to - from + 16, 64);  // other slices are larger by one pack at most
#ifdef FASHION_MNIST_CUDA
  if (world.backend() == muster::Backend::nccl) return fm::make_gpu_network(capacity);
#endif
  return fm::make_cpu_network(capacity);
}

void run(const fm::Options& options) {
  muster::Context job = muster::Context::from_environment();
  muster::CommunicatorOptions wanted;
  wanted.backend = backend();
  muster::Communicator world = job.communicator(wanted);
  const std::unique_ptr<fm::Network> network = make_network(world, options.batch);
  if (world.rank() == 0) {
    std::printf("%u ranks (%s), %zu images per step\n", world.size(),
                world.backend() == muster::Backend::nccl ? "gpu, nccl" : "cpu, gloo", options.batch);
  }
  fm::Training(options, job, world, *network).run();
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::signal(SIGTERM, SIG_IGN);  // should_stop() reports the stop instead
  try {
    const fm::Options options = fm::parse_options({arguments + 1, arguments + count});
    if (options.help)
      std::fputs(fm::kHelp, stdout);
    else
      run(options);
    return 0;
  } catch (const fm::UsageError& error) {
    std::fprintf(stderr, "fashion_mnist: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fashion_mnist: %s\n", error.what());
    return 1;
  }
}
