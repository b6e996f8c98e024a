// SPDX-License-Identifier: Apache-2.0
// ping_pong_mpi FOLDER: two ranks send messages of 8 B and of 1 MiB to and fro. Rank 0 reports the round trips.
#include <mpi.h>

#include <tuple>
#include <vector>

#include "report.h"

namespace {

void round_trip(std::vector<char>& message, int rank) {
  const int size = static_cast<int>(message.size());
  if (rank == 0) MPI_Send(message.data(), size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(message.data(), size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(message.data(), size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    bench::Report report(argv[1], static_cast<unsigned>(rank));
    for (const auto& [name, bytes, count] : {std::tuple("small", 8, 20000), std::tuple("large", 1 << 20, 1000)}) {
      std::vector<char> message(static_cast<size_t>(bytes));
      for (int i = 0; i < count / 10; ++i) round_trip(message, rank);  // not measured
      report.calls(name, count, [&, own = rank] { round_trip(message, own); });
    }
  }
  MPI_Finalize();
}
