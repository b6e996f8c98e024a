/* SPDX-License-Identifier: Apache-2.0 */
/* ends HOW [RANK]: that rank ends in this way; the others wait in a barrier. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  const int who = count > 2 ? atoi(words[2]) : 1;
  const char* number = getenv("OMPI_COMM_WORLD_RANK");
  if (strcmp(how, "alone") == 0) return 0;
  if (strcmp(how, "before") == 0 && number != NULL && atoi(number) == who) exit(5);
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == who) {
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "abort0") == 0) MPI_Abort(MPI_COMM_WORLD, 0);
    if (strcmp(how, "killed") == 0) raise(SIGKILL);
    if (strcmp(how, "leaves") == 0) _exit(0);
    if (strcmp(how, "exits") == 0) _exit(9);
    if (strcmp(how, "spawns") == 0) {
      MPI_Comm child;
      MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == who && strcmp(how, "after") == 0) exit(6);
  return 0;
}
