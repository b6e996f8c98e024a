/* libmuster in C: what a program that `muster run` started may ask of its job. For C, and for every language that calls
 * C.
 *
 * The C++ face is muster.hpp. Calls block; each returns a code, and muster_last_error() the sentence that goes with it.
 * A context or communicator may be used by several threads, one collective of a communicator at a time. Nothing here
 * starts a thread before muster_should_stop() or a communicator needs one.
 *
 * Functions and members are only ever added: a program built against an older header runs with a newer library.
 * Structures that may grow begin with their size, which the caller sets.
 */
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MUSTER_ABI 1

/* gRPC's numbers. */
typedef enum muster_code {
  MUSTER_OK = 0,
  MUSTER_CANCELLED = 1,
  MUSTER_UNKNOWN = 2,
  MUSTER_INVALID_ARGUMENT = 3,
  MUSTER_DEADLINE_EXCEEDED = 4,
  MUSTER_NOT_FOUND = 5,
  MUSTER_ALREADY_EXISTS = 6,
  MUSTER_PERMISSION_DENIED = 7,
  MUSTER_RESOURCE_EXHAUSTED = 8,
  MUSTER_FAILED_PRECONDITION = 9, /* the attempt has ended, or this is no program of a job */
  MUSTER_ABORTED = 10,            /* a communicator that a peer left, or whose ranks disagreed */
  MUSTER_OUT_OF_RANGE = 11,
  MUSTER_UNIMPLEMENTED = 12, /* this build or machine has no such part; the sentence says which */
  MUSTER_INTERNAL = 13,
  MUSTER_UNAVAILABLE = 14, /* the agent or coordinator is away: ask again */
  MUSTER_DATA_LOSS = 15
} muster_code;

uint32_t muster_abi(void);           /* of the library that was loaded */
const char* muster_version(void);    /* "0.1.0" */
const char* muster_last_error(void); /* of this thread's last call that failed; never null */

/* ---- context ----------------------------------------------------------------------------------------------------- */

typedef struct muster_context muster_context;

/* A rank's place. Texts live as long as the context. */
typedef struct muster_place {
  uint32_t rank;
  uint32_t world_size;
  uint32_t local_rank; /* among the job's ranks of this world on this node */
  uint32_t local_size;
  uint32_t node;     /* the job's nodes are numbered from 0 */
  uint32_t attempt;  /* from 1 */
  uint32_t restarts; /* attempts that failed before */
  const char* job;
  const char* job_id;
  const char* group;
} muster_place;

/* FAILED_PRECONDITION: not started by muster. UNAVAILABLE: its agent does not answer. */
muster_code muster_open(muster_context** context);
/* Communicators first. Null is fine. */
void muster_close(muster_context* context);
/* The place as the context was opened, or as muster_rejoin() left it. */
void muster_where(const muster_context* context, muster_place* place);

/* ---- store: keys and values of this attempt; limits in docs/libmuster.md ----------------------------------------- */

typedef struct muster_bytes {
  char* data; /* never null after success; a zero byte follows that `size` does not count */
  size_t size;
} muster_bytes;
void muster_bytes_free(muster_bytes* bytes);

/* A time-out is in seconds; 0 or less: the longest, 24 hours. All end with the attempt. */
muster_code muster_set(muster_context* context, const char* key, const void* value, size_t size);
muster_code muster_get(muster_context* context, const char* key, muster_bytes* value);
muster_code muster_wait(muster_context* context, const char* key, double timeout, muster_bytes* value);
/* A missing key counts from 0. `sum` may be null. */
muster_code muster_add(muster_context* context, const char* key, int64_t amount, int64_t* sum);
/* Sets when the value is `expected` (of size 0: or the key is missing); `value_now` is the value afterwards. */
muster_code muster_compare_and_set(muster_context* context, const char* key, const void* expected, size_t expected_size,
                                   const void* desired, size_t desired_size, muster_bytes* value_now);
muster_code muster_remove(muster_context* context, const char* key);

/* Returns when all ranks of the world have come to the barrier of this name. The sentence of a time-out names who is
 * missing. */
muster_code muster_barrier(muster_context* context, const char* name, double timeout);
/* A barrier at which each leaves a value and gets all: `values` has room for world_size, by rank; each is the
 * caller's to free. */
muster_code muster_fence(muster_context* context, const char* name, const void* value, size_t size, double timeout,
                         muster_bytes* values);

/* ---- progress and the end ---------------------------------------------------------------------------------------- */

typedef struct muster_metric {
  const char* name; /* letters, digits, `_`, `.`, `/`, `-`: at most 64; at most 16 metrics */
  double value;
} muster_metric;

/* Shown by `muster ps`, `describe` and while following. total 0: unknown. Cheap: at most ten a second leave the
 * process. */
muster_code muster_progress(muster_context* context, uint64_t step, uint64_t total, const muster_metric* metrics,
                            size_t metric_count);

/* 1: this attempt is to end (somebody stopped the job, a peer failed, the node is drained): write a checkpoint and
 * return. Cheap. The first call takes SIGTERM over where the program has no handler of its own: it ends nobody any
 * more, and who goes on is killed when the grace has passed. */
int muster_should_stop(muster_context* context);
/* The sentence why; "" while it need not. Lives until the calling thread asks again. */
const char* muster_stop_reason(muster_context* context);
/* Seconds that are left before who goes on is killed; it may be fewer, where somebody shortens the grace. Infinity
 * while it need not end. */
double muster_stop_grace(muster_context* context);

/* Instead of ending with a broken attempt: waits for the next one and becomes this rank of it, in the same process.
 * Keys, barriers and communicators of the old attempt are gone; muster_where() tells the new place.
 * FAILED_PRECONDITION: the job ends, so should the program. */
muster_code muster_rejoin(muster_context* context);

/* ---- communicators ----------------------------------------------------------------------------------------------- */

typedef struct muster_communicator muster_communicator;

typedef enum muster_backend {
  MUSTER_BACKEND_AUTO = 0,
  MUSTER_BACKEND_GLOO = 1,
  MUSTER_BACKEND_NCCL = 2
} muster_backend;
typedef enum muster_type {
  MUSTER_INT8 = 0,
  MUSTER_UINT8 = 1,
  MUSTER_INT32 = 2,
  MUSTER_UINT32 = 3,
  MUSTER_INT64 = 4,
  MUSTER_UINT64 = 5,
  MUSTER_FLOAT16 = 6,
  MUSTER_FLOAT32 = 7,
  MUSTER_FLOAT64 = 8,
  MUSTER_BFLOAT16 = 9 /* NCCL only */
} muster_type;
typedef enum muster_reduce {
  MUSTER_SUM = 0,
  MUSTER_PRODUCT = 1,
  MUSTER_MIN = 2,
  MUSTER_MAX = 3,
  MUSTER_AVERAGE = 4
} muster_reduce;

typedef struct muster_communicator_options {
  size_t size;      /* sizeof(muster_communicator_options) */
  const char* name; /* null: "world"; all ranks open the same names in the same order */
  muster_backend
      backend; /* AUTO: NCCL where this rank was given a GPU and libnccl.so.2 is found, else Gloo; all ranks agree or all fail */
  double timeout; /* of opening and of each collective, in seconds; 0: 30 minutes, as torch has it */
  void* stream;   /* NCCL: a CUstream or cudaStream_t on which collectives are put; null: one of its own */
} muster_communicator_options;

/* Collective: every rank of the world calls it. `options` may be null. The first communicator of NCCL sets
 * NCCL_SOCKET_IFNAME of this process to the interface of the job's address ("=lo" for a job of one machine), where
 * neither it, NCCL_COMM_ID nor nccl.conf chose one: NCCL's sockets are bound there. */
muster_code muster_communicator_open(muster_context* context, const muster_communicator_options* options,
                                     muster_communicator** communicator);
/* Collective over `parent`: ranks of one color form a communicator, in the order of `key`, then of rank. A negative
 * color: none, *child is null. */
muster_code muster_communicator_split(muster_communicator* parent, int32_t color, int32_t key, const char* name,
                                      muster_communicator** child);
/* Without the ranks of `gone` (sorted): every other rank calls it. NCCL shrinks where its version can; else the rest
 * connects anew. */
muster_code muster_communicator_shrink(muster_communicator* parent, const uint32_t* gone, size_t gone_count,
                                       const char* name, muster_communicator** child);
/* With more ranks: each of `members` (ranks of the world, sorted, all of the parent's among them) calls it, those of
 * the parent with it, those who join with null. The parent's keep their numbers, those who join follow by rank of
 * the world. NCCL grows where its version can (2.29.2); else all connect anew. Ranks that disagree about the members
 * are named on all. A name is for one set of members, as often as it works: other sets need other names, and so does
 * another try after a failure. Null: "world of N". */
muster_code muster_communicator_grow(muster_context* context, muster_communicator* parent, const uint32_t* members,
                                     size_t member_count, const char* name, muster_communicator** child);
void muster_communicator_close(muster_communicator* communicator);

uint32_t muster_communicator_rank(const muster_communicator* communicator);
uint32_t muster_communicator_size(const muster_communicator* communicator);
muster_backend muster_communicator_backend(const muster_communicator* communicator);

/* Counts are in elements. Buffers are host memory with Gloo, device memory with NCCL; `in` and `out` may be the same
 * where both have the same count. With Gloo a call returns when its result is there; with NCCL when it is on the
 * stream: muster_synchronize() waits for it and tells what went wrong. Calls that differ between ranks in kind,
 * type, count or root fail on every rank with INVALID_ARGUMENT; a dead peer is ABORTED, with its name. After a
 * failure the communicator is of no more use but to be closed or shrunk. */
muster_code muster_all_reduce(muster_communicator* communicator, const void* in, void* out, size_t count,
                              muster_type type, muster_reduce reduce);
/* `in`: size × count, `out`: count, the part of this rank. */
muster_code muster_reduce_scatter(muster_communicator* communicator, const void* in, void* out, size_t count,
                                  muster_type type, muster_reduce reduce);
/* `in`: count, `out`: size × count, by rank. */
muster_code muster_all_gather(muster_communicator* communicator, const void* in, void* out, size_t count,
                              muster_type type);
muster_code muster_broadcast(muster_communicator* communicator, void* data, size_t count, muster_type type,
                             uint32_t root);
muster_code muster_send(muster_communicator* communicator, const void* data, size_t count, muster_type type,
                        uint32_t to);
muster_code muster_receive(muster_communicator* communicator, void* data, size_t count, muster_type type,
                           uint32_t from);
muster_code muster_communicator_barrier(muster_communicator* communicator);
muster_code muster_synchronize(muster_communicator* communicator);

#ifdef __cplusplus
}
#endif

#endif
