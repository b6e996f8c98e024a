// SPDX-License-Identifier: Apache-2.0
// barrier_mpi FOLDER: the counterpart of barrier_muster under mpirun.
#include <mpi.h>

#include "report.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    bench::Report report(argv[1], static_cast<unsigned>(rank));
    MPI_Barrier(MPI_COMM_WORLD);
    report.passed();
  }
  MPI_Finalize();
}
