// SPDX-License-Identifier: Apache-2.0
// The used parts of the C interfaces of NCCL and the CUDA driver. They are declared here, so that the build needs none of
// their headers and one build runs with any version found at run time. Numbers and layouts are those of nccl.h 2.14 to 2.32
// and cuda.h 11 to 13; newer versions only append.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::worker::nccl {

using Communicator = void*;  // ncclComm_t
using Result = int;          // ncclResult_t
inline constexpr Result success = 0, remote_error = 6, in_progress = 7;

struct UniqueId {
  char internal[128];
};
static_assert(sizeof(UniqueId) == 128);

// ncclConfig_t of 2.14. Later versions appended members; they treat the members that a shorter structure lacks as unset.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};
static_assert(sizeof(Config) == 24 && offsetof(Config, magic) == 8 && offsetof(Config, version) == 12 &&
              offsetof(Config, blocking) == 16);

// The ncclDataType_t of each Type and the ncclRedOp_t of each Reduce (call.h).
inline constexpr int types[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
inline constexpr int reduces[] = {0, 1, 3, 2, 4};  // sum, product, min, max, average

inline constexpr int no_color = -1;     // NCCL_SPLIT_NOCOLOR
inline constexpr int shrink_abort = 1;  // NCCL_SHRINK_ABORT

using Stream = void*;  // cudaStream_t, CUstream

// Version codes of ncclGetVersion.
inline constexpr int with_non_blocking = 21400, with_split = 21800, with_scalable = 22300, with_shrink = 22703,
                     with_grow = 22902;

}  // namespace muster::worker::nccl

namespace muster::worker::cuda {

using Code = int;  // CUresult
inline constexpr Code success = 0, not_ready = 600;
using Device = int;     // CUdevice
using Context = void*;  // CUcontext
using Stream = void*;   // CUstream
using Pointer = unsigned long long;
inline constexpr unsigned stream_non_blocking = 1;

}  // namespace muster::worker::cuda
