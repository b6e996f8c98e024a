/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads of each rank exchange messages with the same threads of the next rank. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 50 };
static int rank, size;

static void* exchange(void* number) {
  const int tag = (int)(long)number, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int round = 0; round < ROUNDS; ++round) {
    int sent = rank * 1000 + round, got = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, next, tag, &got, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got != previous * 1000 + round) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return NULL;
}

int main(int count, char** words) {
  pthread_t threads[THREADS];
  int provided;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchange, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("threads ok\n");
  MPI_Finalize();
  return 0;
}
