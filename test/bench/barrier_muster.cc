// SPDX-License-Identifier: Apache-2.0
// barrier_muster FOLDER [communicator]: a rank that passes its first barrier, the job's or a communicator's.
#include "muster/muster.hpp"
#include "report.h"

int main(int argc, char** argv) {
  muster::Context job = muster::Context::from_environment();
  bench::Report report(argv[1], job.rank());
  if (argc > 2) {
    job.communicator().barrier();
  } else {
    job.barrier("first");
  }
  report.passed();
}
