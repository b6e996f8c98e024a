/* SPDX-License-Identifier: Apache-2.0 */
/* C interface of libmuster, for programs that `muster run` starts. Any language that can call C can use it. muster.hpp is
 * the C++ interface. Guide: docs/guide/libmuster.md; errors and limits: docs/reference/libmuster.md.
 *
 * Terms. A rank is one process of the job. An attempt is one start of the ranks: if a rank fails, muster ends all ranks of
 * its group and starts the next attempt. The world is the set of ranks that work together: those of one group, or all ranks
 * of the job with `world: shared`. The agent is muster's process on each node; it starts the ranks and answers these calls.
 *
 * Errors. Functions that return muster_code return MUSTER_OK or an error code; muster_last_error() then has the message. A
 * null pointer that is not allowed gives MUSTER_INVALID_ARGUMENT. After an error, output parameters have no meaningful value.
 *
 * Threads. Calls block. Any thread may use a context or a communicator. A communicator runs one collective at a time; calls
 * of other threads wait. The library starts its first thread when you call muster_should_stop(), muster_stop_reason() or
 * muster_stop_grace(), or open a communicator.
 *
 * Strings are UTF-8 and end with a NUL. Timeouts are in seconds.
 *
 * Compatibility. Functions and structure members are only added: a program that was built with an older header runs with a
 * newer library. Structures that may grow begin with their size, which the caller sets.
 */
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MUSTER_ABI 1

/* The codes and numbers of gRPC. */
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
  MUSTER_FAILED_PRECONDITION = 9, /* the attempt has ended, or muster did not start this program */
  MUSTER_ABORTED = 10,            /* a peer of the communicator or the attempt ended */
  MUSTER_OUT_OF_RANGE = 11,
  MUSTER_UNIMPLEMENTED = 12, /* Gloo, NCCL or a GPU is missing; the message says which */
  MUSTER_INTERNAL = 13,
  MUSTER_UNAVAILABLE = 14, /* the agent or the coordinator cannot be reached at the moment: try again */
  MUSTER_DATA_LOSS = 15
} muster_code;

/* MUSTER_ABI of the loaded library. */
uint32_t muster_abi(void);
/* The version of the loaded library, for example "0.1.0". */
const char* muster_version(void);
/* The message of the calling thread's last failed call; "" if none failed. Never null. Valid until the thread's next failed
 * call. */
const char* muster_last_error(void);

/* ---- context ----------------------------------------------------------------------------------------------------- */

/* A connection of this rank to its job. */
typedef struct muster_context muster_context;

/* The rank and its position in the job. The strings belong to the context; they are valid until muster_rejoin() or
 * muster_close(). */
typedef struct muster_place {
  uint32_t rank;       /* 0 to world_size - 1 */
  uint32_t world_size; /* number of ranks of the world */
  uint32_t local_rank; /* number of this rank among the ranks of the world on this node, from 0 */
  uint32_t local_size; /* number of ranks of the world on this node */
  uint32_t node;       /* number of this node among the nodes of the job, from 0 */
  uint32_t attempt;    /* number of this attempt, from 1 */
  uint32_t restarts;   /* number of earlier attempts that failed */
  const char* job;     /* the job's name */
  const char* job_id;
  const char* group; /* the name of this rank's group */
} muster_place;

/* Connects to the agent and stores the new context in *context. Close it with muster_close().
 * FAILED_PRECONDITION: muster did not start this program. UNAVAILABLE: the agent does not answer. */
muster_code muster_open(muster_context** context);
/* Closes the context and sends the last progress report. Close all communicators first. Null is allowed. */
void muster_close(muster_context* context);
/* Fills *place with the values of the last muster_open() or muster_rejoin(). Does nothing if a pointer is null. */
void muster_where(const muster_context* context, muster_place* place);

/* ---- store ------------------------------------------------------------------------------------------------------- *
 * Keys and values that all ranks of the world share. They belong to the attempt: the next attempt starts without keys. Keys
 * that begin with "communicator/" are reserved. Values are bytes. Limits: docs/reference/libmuster.md.
 *
 * A timeout is in seconds; 0 or less means the maximum, 24 hours. If the attempt ends, all calls fail with
 * FAILED_PRECONDITION. */

/* Bytes that the library allocated; free them with muster_bytes_free(). */
typedef struct muster_bytes {
  char* data;  /* not null after success; a NUL follows the last byte */
  size_t size; /* without that NUL */
} muster_bytes;
/* Frees the data and resets the structure. Null is allowed. */
void muster_bytes_free(muster_bytes* bytes);

/* Sets a key. */
muster_code muster_set(muster_context* context, const char* key, const void* value, size_t size);
/* Gets a key's value. NOT_FOUND: the key is not set. */
muster_code muster_get(muster_context* context, const char* key, muster_bytes* value);
/* Waits until the key is set, then gets its value. `value` may be null. DEADLINE_EXCEEDED: it was not set in time. */
muster_code muster_wait(muster_context* context, const char* key, double timeout, muster_bytes* value);
/* Adds to a decimal number and stores the result in *sum. A missing key counts as 0. `sum` may be null.
 * INVALID_ARGUMENT: the value is not a number. OUT_OF_RANGE: the sum exceeds 64 bits. */
muster_code muster_add(muster_context* context, const char* key, int64_t amount, int64_t* sum);
/* Sets the key to `desired` if its value is `expected`; with expected_size 0 also if the key is missing. Stores the key's
 * value after the call in *value_now, which may be null: compare it with `desired` to see whether the key was set. */
muster_code muster_compare_and_set(muster_context* context, const char* key, const void* expected, size_t expected_size,
                                   const void* desired, size_t desired_size, muster_bytes* value_now);
/* Removes a key. NOT_FOUND: the key is not set. */
muster_code muster_remove(muster_context* context, const char* key);

/* Returns when all ranks of the world have called it with this name. A name can be used again. DEADLINE_EXCEEDED: some ranks
 * did not call it in time; the message names them. ABORTED: a rank entered the barrier twice. */
muster_code muster_barrier(muster_context* context, const char* name, double timeout);
/* A barrier that also exchanges a value of each rank. `values` is an array of world_size elements, which receives the values
 * in order of rank. Free each with muster_bytes_free(). */
muster_code muster_fence(muster_context* context, const char* name, const void* value, size_t size, double timeout,
                         muster_bytes* values);

/* ---- progress and the end of an attempt --------------------------------------------------------------------------- */

typedef struct muster_metric {
  const char* name; /* at most 64 letters, digits, `_`, `.`, `/` and `-` */
  double value;
} muster_metric;

/* Reports the rank's progress, which `muster ps`, `muster describe` and `muster run` show. `total` 0: unknown. At most 16
 * metrics. Call it in every step: the library sends at most 10 reports per second and always sends the last one. */
muster_code muster_progress(muster_context* context, uint64_t step, uint64_t total, const muster_metric* metrics,
                            size_t metric_count);

/* Returns 1 if this attempt is about to end: somebody stopped the job, a peer failed or the node is drained. Write a
 * checkpoint and exit. After the grace, muster kills the process. Fast enough to call in every step.
 *
 * muster also sends SIGTERM. If its action is the default, the first call of this function replaces it: SIGTERM then no
 * longer ends the program. A handler of the program, or SIG_IGN, is kept. */
int muster_should_stop(muster_context* context);
/* The reason why the attempt is about to end; "" if it is not. Valid until the calling thread calls this again. */
const char* muster_stop_reason(muster_context* context);
/* The seconds until muster kills the process; infinity if the attempt is not about to end. Somebody may shorten the grace
 * later. */
double muster_stop_grace(muster_context* context);

/* Keeps the process when an attempt ends: waits for the next attempt and continues as this rank of it. Close all
 * communicators before. Keys and barriers of the old attempt are gone; muster_where() gives the new values; stdout and stderr
 * go to the files of the new attempt. FAILED_PRECONDITION: no attempt follows; exit, or muster kills the process after the
 * grace. */
muster_code muster_rejoin(muster_context* context);

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* An ordered set of ranks that run collectives together. */
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
  MUSTER_BFLOAT16 = 9 /* only with NCCL */
} muster_type;
typedef enum muster_reduce {
  MUSTER_SUM = 0,
  MUSTER_PRODUCT = 1,
  MUSTER_MIN = 2,
  MUSTER_MAX = 3,
  MUSTER_AVERAGE = 4 /* not for integers */
} muster_reduce;

typedef struct muster_communicator_options {
  size_t size;      /* sizeof(muster_communicator_options) */
  const char* name; /* 1 to 100 bytes; null: "world". All ranks open the same names in the same order. */
  muster_backend
      backend;    /* AUTO: NCCL if every rank has a GPU and finds libnccl.so.2, else Gloo. All ranks pass the same. */
  double timeout; /* of opening and of each collective, in seconds; 0: 30 minutes, as in torch */
  void* stream;   /* NCCL: the CUstream or cudaStream_t to use; null: the communicator creates one. Gloo: ignored */
} muster_communicator_options;

/* Opens a communicator of all ranks of the world; every one of them must call it. Null `options`: the defaults. Close the
 * communicator with muster_communicator_close(). INVALID_ARGUMENT: the ranks ask for different backends. UNIMPLEMENTED: a
 * rank lacks the backend; the message names the rank and what is missing.
 *
 * The first NCCL communicator sets NCCL_SOCKET_IFNAME in this process to the interface of the job's address ("=lo" if the
 * job runs on one machine), unless NCCL_SOCKET_IFNAME, NCCL_COMM_ID or nccl.conf chooses an interface. NCCL binds its
 * bootstrap sockets to it. */
muster_code muster_communicator_open(muster_context* context, const muster_communicator_options* options,
                                     muster_communicator** communicator);
/* Splits `parent`; all its ranks must call it. Ranks with the same `color` form a new communicator, ordered by `key`, then by
 * rank. A rank with a negative color gets none: *child is null. Null `name`: the parent's name. */
muster_code muster_communicator_split(muster_communicator* parent, int32_t color, int32_t key, const char* name,
                                      muster_communicator** child);
/* Creates a communicator without the ranks `gone` (ranks of `parent`, sorted). All other ranks must call it; `parent` may
 * have failed. NCCL's own shrink is used if the version has it; otherwise the ranks connect anew. Null `name`: the parent's
 * name. */
muster_code muster_communicator_shrink(muster_communicator* parent, const uint32_t* gone, size_t gone_count,
                                       const char* name, muster_communicator** child);
/* Creates a communicator of `members`: ranks of the world, sorted, with all ranks of the parent. Each of them must call it.
 * Ranks of the parent pass `parent`; ranks that join pass null. The ranks of the parent keep their numbers; the ranks that
 * join follow in order of their rank of the world. The parent stays open. NCCL's own grow is used if the version has it
 * (2.29.2); otherwise all ranks connect anew.
 *
 * If the ranks pass different members, the call fails on every rank and the message names the ranks. Use a name only for one
 * set of members: another set, or another try after a failure, needs a new name. Null `name`: "world of N". */
muster_code muster_communicator_grow(muster_context* context, muster_communicator* parent, const uint32_t* members,
                                     size_t member_count, const char* name, muster_communicator** child);
/* Null is allowed. */
void muster_communicator_close(muster_communicator* communicator);

/* This rank's number in the communicator, from 0; the number of ranks; the backend that was chosen. */
uint32_t muster_communicator_rank(const muster_communicator* communicator);
uint32_t muster_communicator_size(const muster_communicator* communicator);
muster_backend muster_communicator_backend(const muster_communicator* communicator);

/* Collectives and messages. All ranks of the communicator make the same collectives in the same order.
 *
 * Counts are in elements. Buffers are in host memory with Gloo and in device memory with NCCL. `in` and `out` may be the same
 * buffer if they have the same number of elements.
 *
 * With Gloo, a call returns when its result is available. With NCCL, a call returns when the operation is on the stream;
 * muster_synchronize() waits for the result and reports errors.
 *
 * If the calls of the ranks differ in kind, type, count or root, they fail on every rank with INVALID_ARGUMENT. If a peer
 * dies, the call fails with ABORTED. The messages name the ranks. After a failure the communicator can only be closed or
 * shrunk. */

/* out[i] = the reduction of in[i] of all ranks. */
muster_code muster_all_reduce(muster_communicator* communicator, const void* in, void* out, size_t count,
                              muster_type type, muster_reduce reduce);
/* Reduces size × count elements of `in`; `out` receives the `count` elements of this rank's part. */
muster_code muster_reduce_scatter(muster_communicator* communicator, const void* in, void* out, size_t count,
                                  muster_type type, muster_reduce reduce);
/* `out` receives the `count` elements of `in` of every rank, in order of rank: size × count elements. */
muster_code muster_all_gather(muster_communicator* communicator, const void* in, void* out, size_t count,
                              muster_type type);
/* Copies `data` of rank `root` to `data` of all other ranks. */
muster_code muster_broadcast(muster_communicator* communicator, void* data, size_t count, muster_type type,
                             uint32_t root);
/* A send returns when the receiver has taken the data (Gloo), or when it is on the stream (NCCL). */
muster_code muster_send(muster_communicator* communicator, const void* data, size_t count, muster_type type,
                        uint32_t to);
muster_code muster_receive(muster_communicator* communicator, void* data, size_t count, muster_type type,
                           uint32_t from);
/* Returns when all ranks have called it (Gloo), or when it is on the stream (NCCL). */
muster_code muster_communicator_barrier(muster_communicator* communicator);
/* Waits for all operations on the stream and returns their error. With Gloo it returns at once. */
muster_code muster_synchronize(muster_communicator* communicator);

#ifdef __cplusplus
}
#endif

#endif
