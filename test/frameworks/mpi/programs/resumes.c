/* SPDX-License-Identifier: Apache-2.0 */
/* resumes STEPS: each step adds 1 on every rank. Rank 0 writes a checkpoint after each step. In its first attempt, the last rank kills
   itself at half of the steps. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int steps = atoi(words[1]), attempt = atoi(getenv("MUSTER_ATTEMPT"));
  int rank, size, state[2] = {0, 0}; /* the next step, and the sum */
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE* saved = rank == 0 ? fopen("checkpoint", "r") : NULL;
  if (saved != NULL) {
    if (fscanf(saved, "%d %d", &state[0], &state[1]) != 2) MPI_Abort(MPI_COMM_WORLD, 3);
    fclose(saved);
  }
  MPI_Bcast(state, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("attempt %d begins at step %d\n", attempt, state[0]);
  fflush(stdout);
  for (; state[0] < steps; ++state[0]) {
    int one = 1, sum;
    if (attempt == 1 && state[0] == steps / 2 && rank == size - 1) raise(SIGKILL);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    state[1] += sum;
    if (rank != 0) continue;
    saved = fopen("checkpoint.new", "w");
    fprintf(saved, "%d %d\n", state[0] + 1, state[1]);
    fclose(saved);
    rename("checkpoint.new", "checkpoint");
  }
  if (rank == 0) printf("sum %d\n", state[1]);
  MPI_Finalize();
  return 0;
}
