// SPDX-License-Identifier: Apache-2.0
// NcclTransport: a Transport over NCCL. Calls are put on a stream; waiting is done by polling with a non-blocking
// communicator, so that NCCL never blocks a thread for good. GPU memory only.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/worker/collective/nccl_library.h"
#include "core/worker/collective/transport.h"

namespace muster::worker {

class NcclTransport final : public Transport {
 public:
  // The reason why this rank cannot use NCCL; empty: it can.
  static std::string lacks();
  // `stream`: null to create one. Fails if the GPU cannot be used.
  static Result<std::unique_ptr<NcclTransport>> make(uint32_t rank, uint32_t size, void* stream);
  ~NcclTransport() override;

  // id_count(): the number of ids that connect() needs: one per 256 ranks if the version supports it, because one root
  // accepts ranks one after the other; otherwise 1. own_id(): the id that this rank creates; -1: none.
  int id_count() const;
  int own_id() const;
  Result<std::string> make_id() const;
  // Call one of these once, before run(). Each returns when this rank is connected to all others.
  std::optional<Broken> connect(const std::vector<std::string>& ids);
  // Collective over the ranks of `parent`. With a negative color, the rank takes part but its transport is not connected.
  std::optional<Broken> connect_by_split(NcclTransport& parent, int color, int key);
  std::optional<Broken> connect_by_shrink(NcclTransport& parent, const std::vector<uint32_t>& gone);
  // `ids`: the id that the parent's first rank created. `parent` is null on ranks that join.
  std::optional<Broken> connect_by_grow(NcclTransport* parent, const std::vector<std::string>& ids);
  // Creates the id for a growth of this communicator; once for each growth.
  Result<std::string> make_grow_id();
  bool can_split() const { return library_.split != nullptr; }
  bool can_shrink() const { return library_.shrink != nullptr; }
  bool can_grow() const { return library_.grow != nullptr; }

  Backend backend() const override { return Backend::nccl; }
  std::optional<Broken> run(const Call& call, const void* in, void* out) override;
  std::optional<Broken> synchronize() override;
  void interrupt() override;
  // Keeps the communicator, so that it can be shrunk. The destructor or abandon() ends its kernels.
  void close() override {}
  void abandon() override;

 private:
  NcclTransport(const NcclLibrary& library, const CudaDriver& driver, uint32_t rank, uint32_t size)
      : library_(library),
        driver_(driver),
        rank_(rank),
        size_(size) {}
  Status prepare(void* stream);
  nccl::Result put(const Call& call, const void* in, void* out);
  std::optional<Broken> settle(nccl::Result result, nccl::Communicator* made);
  bool pause(int turn);
  Broken broken(nccl::Result result) const;
  Broken interrupted() const { return Broken{Broken::Why::interrupted, -1, "interrupted"}; }

  const NcclLibrary library_;
  const CudaDriver driver_;
  const uint32_t rank_, size_;
  cuda::Device device_ = -1;
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
  bool own_stream_ = false;
  cuda::Pointer barrier_room_ = 0;
  bool failed_ = false;
  // mutex: protects communicator_; abandon() ends it from the meeting's thread while no other thread may be inside NCCL with it
  std::mutex inside_;
  nccl::Communicator communicator_ = nullptr;
  // mutex: protects interrupted_; interrupt() wakes the thread that polls
  std::mutex mutex_;
  std::condition_variable wake_;
  bool interrupted_ = false;
};

}  // namespace muster::worker
