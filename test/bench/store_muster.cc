// SPDX-License-Identifier: Apache-2.0
// store_muster FOLDER COUNT: each rank does COUNT synchronous set, get and add on separate keys, all ranks at the same time.
// store_torch.py is its counterpart, line by line.
#include <cstdlib>

#include "muster/muster.hpp"
#include "report.h"

int main(int, char** argv) {
  muster::Context job = muster::Context::from_environment();
  bench::Report report(argv[1], job.rank());
  const int count = std::atoi(argv[2]);
  const std::string key = "key" + std::to_string(job.rank());
  const std::string counter = "counter" + std::to_string(job.rank());
  const std::string value(100, 'v');

  const auto measure = [&](const std::string& name, auto act) {
    job.barrier(name + " loop");
    report.loop(name, count, act);
    job.barrier(name + " calls");
    report.calls(name, count / 4, act);
  };
  measure("set", [&] { job.set(key, value); });
  measure("get", [&] { job.get(key); });
  measure("add", [&] { job.add(counter, 1); });
}
