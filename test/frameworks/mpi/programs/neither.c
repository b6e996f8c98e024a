/* SPDX-License-Identifier: Apache-2.0 */
/* An MPI library that speaks neither PMIx nor PMI (compiled with -DLIBRARY): each rank is a world of its own. And a program for it. */
#include <stdio.h>

int MPI_Init(int* count, char*** words);
int MPI_Finalize(void);
int my_rank(void);
int my_size(void);

#ifdef LIBRARY
int MPI_Init(int* count, char*** words) { return count == NULL && words == NULL; }
int MPI_Finalize(void) { return 0; }
int my_rank(void) { return 0; }
int my_size(void) { return 1; }
#else
int main(int count, char** words) {
  MPI_Init(&count, &words);
  printf("rank %d of %d\n", my_rank(), my_size());
  return MPI_Finalize();
}
#endif
