// SPDX-License-Identifier: Apache-2.0
// ping_pong_mpi FOLDER: two ranks send messages of 8 B and of 1 MiB to and fro, and then rank 0 sends many of 1 MiB in a row. Rank 0
// reports the round trips, and how long a row takes.
#include <mpi.h>

#include <array>
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

// As osu_bw does: many messages are under way at the same time, and an answer ends the row.
void stream(std::vector<char>& message, int rank) {
  const int size = static_cast<int>(message.size());
  std::array<MPI_Request, 64> under_way;
  for (MPI_Request& each : under_way) {
    if (rank == 0) MPI_Isend(message.data(), size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &each);
    if (rank == 1) MPI_Irecv(message.data(), size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &each);
  }
  MPI_Waitall(static_cast<int>(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
  std::vector<char> answer(1);
  if (rank == 0) MPI_Recv(answer.data(), 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(answer.data(), 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    bench::Report report(argv[1], static_cast<unsigned>(rank));
    for (const auto& [name, bytes, count, act] :
         {std::tuple("small", 8, 20000, &round_trip), std::tuple("large", 1 << 20, 1000, &round_trip),
          std::tuple("stream", 1 << 20, 30, &stream)}) {
      std::vector<char> message(static_cast<size_t>(bytes));
      for (int i = 0; i < count / 10; ++i) act(message, rank);  // not measured
      report.calls(name, count, [&, own = rank, act = act] { act(message, own); });
    }
  }
  MPI_Finalize();
}
