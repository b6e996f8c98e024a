// SPDX-License-Identifier: Apache-2.0
// all_reduce_gloo FOLDER RANK: uses Gloo as in its documentation: a file store in FOLDER/store, TCP over loopback,
// gloo::allreduce with the default algorithm.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include "sweep.h"

int main(int, char** argv) {
  const int rank = std::atoi(argv[2]);
  gloo::rendezvous::FileStore store(std::string(argv[1]) + "/store");
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, 2);
  auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  context->connectFullMesh(store, device);

  using Sum = void (*)(void*, const void*, const void*, size_t);
  bench::Report report(argv[1], static_cast<unsigned>(rank));
  bench::sweep(report, [&](float* values, size_t count) {
    gloo::AllreduceOptions options(context);
    options.setOutput(values, count);
    options.setReduceFunction(static_cast<Sum>(&gloo::sum<float>));
    gloo::allreduce(options);
  });
}
