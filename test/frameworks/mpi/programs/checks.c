/* SPDX-License-Identifier: Apache-2.0 */
/* checks [apart]: `apart` leaves out the check that needs a folder of all ranks. Each check prints "NAME ok" on rank 0, or ends the world with MPI_Abort(1). The first prints the place of every rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void must(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void done(const char* what) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s ok\n", what);
  fflush(stdout);
}

static void world(void) {
  MPI_Comm node;
  int here, peer;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_rank(node, &peer);
  printf("rank %d of %d, local %d of %d\n", rank, size, peer, here);
  fflush(stdout);
  MPI_Comm_free(&node);
}

static void alltoall(void) {
  enum { COUNT = 2048 };
  int* sent = malloc(sizeof(int) * COUNT * (size_t)size);
  int* got = malloc(sizeof(int) * COUNT * (size_t)size);
  for (int i = 0; i < COUNT * size; ++i) sent[i] = rank * 1000 + i / COUNT;
  MPI_Alltoall(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT * size; ++i) must(got[i] == i / COUNT * 1000 + rank, "MPI_Alltoall");
  free(sent);
  free(got);
  done("alltoall");
}

/* Large messages around a ring, in both directions at once. */
static void ring(void) {
  enum { BYTES = 1 << 22 };
  char* sent = malloc(BYTES);
  char* got = malloc(BYTES);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  memset(sent, 'a' + rank % 20, BYTES);
  MPI_Sendrecv(sent, BYTES, MPI_CHAR, next, 7, got, BYTES, MPI_CHAR, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < BYTES; i += 997) must(got[i] == 'a' + previous % 20, "MPI_Sendrecv");
  free(sent);
  free(got);
  done("ring");
}

static void one_sided(void) {
  MPI_Win window;
  int* memory;
  int one = 1, seen = -1;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  MPI_Win_fence(0, window);
  MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  must(seen == size, "MPI_Accumulate");
  MPI_Win_free(&window);
  done("one_sided");
}

static void shared_file(void) {
  MPI_File file;
  char block[64], read[64];
  memset(block, 'A' + rank % 26, sizeof block);
  MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof block, block, sizeof block, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  const int next = (rank + 1) % size;
  MPI_File_read_at_all(file, next * (MPI_Offset)sizeof read, read, sizeof read, MPI_CHAR, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < sizeof read; ++i) must(read[i] == 'A' + next % 26, "MPI_File_read_at_all");
  MPI_File_close(&file);
  done("shared_file");
}

/* Groups of ranks that are on several nodes. */
static void subgroups(void) {
  MPI_Comm odd;
  int sum, members;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
  MPI_Comm_size(odd, &members);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, odd);
  int expected = 0;
  for (int i = rank % 2; i < size; i += 2) expected += i;
  must(sum == expected, "MPI_Comm_split");
  MPI_Comm_free(&odd);
  done("subgroups");
}

int main(int count, char** words) {
  /* Not MPI_THREAD_MULTIPLE, with which Open MPI 4.1 has no one-sided communication over TCP; threads.c uses it. */
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  world();
  alltoall();
  ring();
  one_sided();
  if (count < 2 || strcmp(words[1], "apart") != 0) shared_file();
  subgroups();
  MPI_Finalize();
  return 0;
}
