// SPDX-License-Identifier: Apache-2.0
// Loads libnccl and libcuda at run time, and chooses the GPU of this rank.
//
// MUSTER_NCCL_LIBRARY and MUSTER_CUDA_LIBRARY replace libnccl.so.2 and libcuda.so.1 by other files: another version, or the
// stand-in of a test. Libraries stay loaded. Any thread.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/worker/collective/nccl_abi.h"

namespace muster::worker {

struct NcclLibrary {
  int version = 0;  // 23203 for 2.32.3
  nccl::Result (*get_version)(int*);
  nccl::Result (*get_unique_id)(nccl::UniqueId*);
  nccl::Result (*init)(nccl::Communicator*, int ranks, nccl::UniqueId, int rank, nccl::Config*);
  nccl::Result (*init_scalable)(nccl::Communicator*, int ranks, int rank, int ids, nccl::UniqueId*, nccl::Config*);
  nccl::Result (*split)(nccl::Communicator, int color, int key, nccl::Communicator*, nccl::Config*);
  nccl::Result (*shrink)(nccl::Communicator, int* gone, int count, nccl::Communicator*, nccl::Config*, int flags);
  nccl::Result (*get_grow_id)(nccl::Communicator, nccl::UniqueId*);
  nccl::Result (*grow)(nccl::Communicator, int ranks, const nccl::UniqueId*, int rank, nccl::Communicator*,
                       nccl::Config*);
  nccl::Result (*finalize)(nccl::Communicator);
  nccl::Result (*destroy)(nccl::Communicator);
  nccl::Result (*abort)(nccl::Communicator);
  nccl::Result (*async_error)(nccl::Communicator, nccl::Result*);
  const char* (*error_string)(nccl::Result);
  const char* (*last_error)(nccl::Communicator);
  nccl::Result (*all_reduce)(const void*, void*, size_t, int type, int reduce, nccl::Communicator, nccl::Stream);
  nccl::Result (*reduce_scatter)(const void*, void*, size_t, int type, int reduce, nccl::Communicator, nccl::Stream);
  nccl::Result (*all_gather)(const void*, void*, size_t, int type, nccl::Communicator, nccl::Stream);
  nccl::Result (*broadcast)(const void*, void*, size_t, int type, int root, nccl::Communicator, nccl::Stream);
  nccl::Result (*send)(const void*, size_t, int type, int peer, nccl::Communicator, nccl::Stream);
  nccl::Result (*receive)(void*, size_t, int type, int peer, nccl::Communicator, nccl::Stream);

  // not_found: NCCL is missing or older than 2.14. Functions that the version lacks (init_scalable, split, shrink, grow) are
  // null.
  static Result<NcclLibrary> load();
};

// "2.32.3".
std::string nccl_version_text(int code);

struct CudaDriver {
  cuda::Code (*init)(unsigned);
  cuda::Code (*device_count)(int*);
  cuda::Code (*device)(cuda::Device*, int);
  cuda::Code (*retain)(cuda::Context*, cuda::Device);
  cuda::Code (*release)(cuda::Device);
  cuda::Code (*current)(cuda::Context*);
  cuda::Code (*set_current)(cuda::Context);
  cuda::Code (*stream_create)(cuda::Stream*, unsigned);
  cuda::Code (*stream_query)(cuda::Stream);
  cuda::Code (*stream_destroy)(cuda::Stream);
  cuda::Code (*allocate)(cuda::Pointer*, size_t);
  cuda::Code (*free)(cuda::Pointer);
  cuda::Code (*error_string)(cuda::Code, const char**);

  // not_found: there is no driver, or no GPU that this rank may use.
  static Result<CudaDriver> load();
  std::string text(cuda::Code code) const;
  // The index of this rank's GPU among the visible ones: the first if muster shows each rank only its own GPU; the local rank
  // if all GPUs are visible.
  int own_device() const;
};

// Makes a device's context the current one of the calling thread during its lifetime.
class OnDevice {
 public:
  OnDevice(const CudaDriver& driver, cuda::Context context) : driver_(driver) {
    driver_.current(&before_);
    driver_.set_current(context);
  }
  ~OnDevice() { driver_.set_current(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const CudaDriver& driver_;
  cuda::Context before_ = nullptr;
};

}  // namespace muster::worker
