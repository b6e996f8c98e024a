// Trains a small convolutional network on Fashion-MNIST, data-parallel: a program written for muster with its library.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <muster/muster.hpp>

#include "network.h"
#include "options.h"
#include "schedule.h"
#include "training.h"

namespace {

// Without the CUDA part there is nothing to give NCCL.
constexpr muster::Backend backend() {
#ifdef FASHION_MNIST_CUDA
  return muster::Backend::automatic;
#else
  return muster::Backend::gloo;
#endif
}

std::unique_ptr<fm::Network> make_network(const muster::Communicator& world, std::size_t batch) {
  const auto [from, to] = fm::slice(batch, world.size() - 1, world.size());
  const std::size_t capacity = std::max<std::size_t>(to - from + 16, 64);  // others have a pack more at most
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
    std::printf("%u ranks (%s), %zu images a step\n", world.size(),
                world.backend() == muster::Backend::nccl ? "gpu, nccl" : "cpu, gloo", options.batch);
  }
  fm::Training(options, job, world, *network).run();
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::signal(SIGTERM, SIG_IGN);  // should_stop() tells the same, and leaves time for the checkpoint
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
