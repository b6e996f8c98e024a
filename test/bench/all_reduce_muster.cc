// SPDX-License-Identifier: Apache-2.0
// all_reduce_muster FOLDER: libmuster's communicator, with Gloo even if there is a GPU.
#include "muster/muster.hpp"
#include "sweep.h"

int main(int, char** argv) {
  muster::Context job = muster::Context::from_environment();
  muster::CommunicatorOptions options;
  options.backend = muster::Backend::gloo;
  muster::Communicator world = job.communicator(options);
  bench::Report report(argv[1], job.rank());
  bench::sweep(report, [&](float* values, size_t count) { world.all_reduce(values, values, count); });
}
