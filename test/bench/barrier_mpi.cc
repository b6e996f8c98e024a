// SPDX-License-Identifier: Apache-2.0
// barrier_mpi FOLDER [die]: MPI_Init and a barrier; the counterpart of barrier_muster. die: rank 0 of the first attempt of a muster job
// is killed after the barrier, and writes FOLDER/killed before it.
#include <mpi.h>

#include <csignal>
#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* attempt = std::getenv("MUSTER_ATTEMPT");
  const bool dies = argc > 2 && attempt != nullptr && std::string(attempt) == "1";
  if (dies) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::ofstream(std::string(argv[1]) + "/killed") << bench::now();
    if (rank == 0) std::raise(SIGKILL);
  }
  {
    bench::Report report(argv[1], static_cast<unsigned>(rank));
    MPI_Barrier(MPI_COMM_WORLD);
    report.passed();
  }
  MPI_Finalize();
}
