// SPDX-License-Identifier: Apache-2.0
// Computes pi as the sum of slices: the classic example of MPI jobs.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { kSlices = 1000000 };
  int rank = 0;
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double part = 0;
  for (int i = rank; i < kSlices; i += size) {
    const double x = (i + 0.5) / kSlices;
    part += 4 / (1 + x * x) / kSlices;
  }
  double pi = 0;
  MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("pi is %.6f by %d ranks\n", pi, size);
  MPI_Finalize();
  return 0;
}
