// Calls over NCCL: put on a stream, waited for by polling, so that nothing of NCCL ever holds a thread for good. The
// communicator is non-blocking. GPU memory only.
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
  // Why this rank cannot use NCCL; empty: it can.
  static std::string lacks();
  // `stream`: null for one of its own. Fails where the GPU cannot be used.
  static Result<std::unique_ptr<NcclTransport>> make(uint32_t rank, uint32_t size, void* stream);
  ~NcclTransport() override;

  // How many ids connect() wants for `size` ranks, and which of them `rank` makes; -1: none. One for every 256 ranks
  // where the version can, since one root greets ranks one after the other.
  int id_count() const;
  int own_id() const;
  Result<std::string> make_id() const;
  // One of these, once, before run(). Each returns when this rank is connected to all others.
  std::optional<Broken> connect(const std::vector<std::string>& ids);
  // Collective over the ranks of `parent`; of those of no color (negative) the transport is not connected.
  std::optional<Broken> connect_by_split(NcclTransport& parent, int color, int key);
  std::optional<Broken> connect_by_shrink(NcclTransport& parent, const std::vector<uint32_t>& gone);
  // With the id that the parent's first rank made. `parent` is null on ranks that join.
  std::optional<Broken> connect_by_grow(NcclTransport* parent, const std::vector<std::string>& ids);
  // Of this communicator, once for each growth.
  Result<std::string> make_grow_id();
  bool can_split() const { return library_.split != nullptr; }
  bool can_shrink() const { return library_.shrink != nullptr; }
  bool can_grow() const { return library_.grow != nullptr; }

  Backend backend() const override { return Backend::nccl; }
  std::optional<Broken> run(const Call& call, const void* in, void* out) override;
  std::optional<Broken> synchronize() override;
  void interrupt() override;
  // Keeps the communicator, so that it can be shrunk; its kernels end with the object or with abandon().
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
  // mutex: abandon() ends the communicator from the meeting's thread; no other may be inside NCCL with it then
  std::mutex inside_;
  nccl::Communicator communicator_ = nullptr;
  // mutex: interrupt() wakes the thread that polls
  std::mutex mutex_;
  std::condition_variable wake_;
  bool interrupted_ = false;
};

}  // namespace muster::worker
