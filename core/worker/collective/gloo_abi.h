// SPDX-License-Identifier: Apache-2.0
/* The interface between libmuster.so and libmuster_gloo.so. C only: each library has its own C++ standard library, so no
 * object and no exception may cross. libmuster_gloo.so exports one function, muster_gloo(). */
#ifndef MUSTER_WORKER_COLLECTIVE_GLOO_ABI_H
#define MUSTER_WORKER_COLLECTIVE_GLOO_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MUSTER_GLOO_ABI 1

typedef struct muster_gloo_mesh muster_gloo_mesh;

typedef enum muster_gloo_code {
  MUSTER_GLOO_OK = 0,
  MUSTER_GLOO_INTERRUPTED = 1, /* by interrupt() */
  MUSTER_GLOO_PEER_GONE = 2,   /* `peer` closed its connection */
  MUSTER_GLOO_FAILED = 3
} muster_gloo_code;

typedef struct muster_gloo_outcome {
  muster_gloo_code code;
  int32_t peer; /* -1: none in particular */
  char text[500];
} muster_gloo_outcome;

/* kind, type and reduce have the numbers of core/worker/collective/call.h; tag is the result of tag_of(). */
typedef struct muster_gloo_call {
  uint64_t tag;
  uint64_t count;
  uint32_t from;
  uint32_t to;
  uint8_t kind;
  uint8_t type;
  uint8_t reduce;
} muster_gloo_call;

/* Functions that return a code also fill `outcome`, which must not be null. */
typedef struct muster_gloo_table {
  uint32_t version;
  /* Listens at `address` (numeric) for size - 1 peers. Null: failed, see `outcome`. `sibling` (or null): a mesh with the
   * same address whose thread is shared. */
  muster_gloo_mesh* (*create)(uint32_t rank, uint32_t size, const char* address, double timeout,
                              muster_gloo_mesh* sibling, muster_gloo_outcome* outcome);
  /* The data that peers need to connect; valid as long as the mesh. */
  const char* (*card)(const muster_gloo_mesh* mesh, size_t* size);
  /* `cards`: those of all ranks, in order of rank. Returns when all pairs are connected. */
  muster_gloo_code (*connect)(muster_gloo_mesh* mesh, const char* const* cards, const size_t* sizes,
                              muster_gloo_outcome* outcome);
  /* One call at a time. After an error the mesh can only be destroyed. */
  muster_gloo_code (*run)(muster_gloo_mesh* mesh, const muster_gloo_call* call, const void* in, void* out,
                          muster_gloo_outcome* outcome);
  /* Ends a connect() or run() in progress, and every later one. Any thread. */
  void (*interrupt)(muster_gloo_mesh* mesh);
  /* Closes the connections; data that was sent still arrives. Only destroy() and interrupt() may follow. */
  void (*close)(muster_gloo_mesh* mesh);
  void (*destroy)(muster_gloo_mesh* mesh);
} muster_gloo_table;

const muster_gloo_table* muster_gloo(void);

#ifdef __cplusplus
}
#endif

#endif
