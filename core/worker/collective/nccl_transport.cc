// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/nccl_transport.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t ranks_of_an_id = 256;
// Polls without pauses before the first sleep: enough for a collective of a few microseconds.
constexpr int eager_turns = 2000;
constexpr auto longest_pause = 1ms;
// Polls before a communicator that does not end in order is aborted.
constexpr int most_turns_of_an_end = 3000;

}  // namespace

std::string NcclTransport::lacks() {
  const Result<CudaDriver> driver = CudaDriver::load();
  if (!driver.ok()) return driver.status().message();
  const Result<NcclLibrary> library = NcclLibrary::load();
  return library.ok() ? "" : "no NCCL: " + library.status().message();
}

Result<std::unique_ptr<NcclTransport>> NcclTransport::make(uint32_t rank, uint32_t size, void* stream) {
  const Result<CudaDriver> driver = CudaDriver::load();
  if (!driver.ok()) return driver.status();
  const Result<NcclLibrary> library = NcclLibrary::load();
  if (!library.ok()) return library.status();
  std::unique_ptr<NcclTransport> made(new NcclTransport(*library, *driver, rank, size));
  if (Status status = made->prepare(stream); !status.ok()) return status;
  return made;
}

Status NcclTransport::prepare(void* stream) {
  const auto check = [this](cuda::Code code, const char* what) {
    return code == cuda::success ? Status() : Status(Code::unavailable, std::string(what) + ": " + driver_.text(code));
  };
  const int index = driver_.own_device();
  if (Status bad = check(driver_.device(&device_, index), "cuDeviceGet"); !bad.ok()) return bad;
  if (Status bad = check(driver_.retain(&context_, device_), "cuDevicePrimaryCtxRetain"); !bad.ok()) return bad;
  OnDevice here(driver_, context_);
  stream_ = stream;
  if (stream_ == nullptr) {
    if (Status bad = check(driver_.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate"); !bad.ok())
      return bad;
    own_stream_ = true;
  }
  return check(driver_.allocate(&barrier_room_, 1), "cuMemAlloc");
}

NcclTransport::~NcclTransport() {
  if (context_ == nullptr) return;
  OnDevice here(driver_, context_);
  if (communicator_ != nullptr && !failed_ && !interrupted_) {
    nccl::Result result = library_.finalize(communicator_);
    for (int turn = 0; result == nccl::in_progress && turn < most_turns_of_an_end; ++turn) {
      if (pause(eager_turns)) break;
      library_.async_error(communicator_, &result);
    }
    if (result == nccl::success) library_.destroy(std::exchange(communicator_, nullptr));
  }
  abandon();
  if (barrier_room_ != 0) driver_.free(barrier_room_);
  if (own_stream_) driver_.stream_destroy(stream_);
  driver_.release(device_);
}

int NcclTransport::id_count() const {
  if (library_.init_scalable == nullptr) return 1;
  return static_cast<int>((size_ + ranks_of_an_id - 1) / ranks_of_an_id);
}

// NCCL assigns one more rank to each of the first (size % ids) ids; the first rank of each id creates it.
int NcclTransport::own_id() const {
  const uint32_t ids = static_cast<uint32_t>(id_count());
  for (uint32_t id = 0; id < ids; ++id) {
    if (size_ / ids * id + std::min(id, size_ % ids) == rank_) return static_cast<int>(id);
  }
  return -1;
}

Result<std::string> NcclTransport::make_id() const {
  nccl::UniqueId id;
  const nccl::Result result = library_.get_unique_id(&id);
  if (result != nccl::success)
    return Status(Code::unavailable, std::string("ncclGetUniqueId: ") + library_.error_string(result));
  return std::string(id.internal, sizeof id.internal);
}

std::optional<Broken> NcclTransport::connect(const std::vector<std::string>& ids) {
  std::vector<nccl::UniqueId> plain(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].size() != sizeof plain[i]) return Broken{Broken::Why::failed, -1, "a rank sent no valid NCCL id"};
    std::memcpy(plain[i].internal, ids[i].data(), sizeof plain[i]);
  }
  OnDevice here(driver_, context_);
  nccl::Config config;
  const int ranks = static_cast<int>(size_), rank = static_cast<int>(rank_);
  std::unique_lock inside(inside_);
  const nccl::Result result =
      plain.size() == 1
          ? library_.init(&communicator_, ranks, plain[0], rank, &config)
          : library_.init_scalable(&communicator_, ranks, rank, static_cast<int>(plain.size()), plain.data(), &config);
  inside.unlock();
  return settle(result, nullptr);
}

std::optional<Broken> NcclTransport::connect_by_split(NcclTransport& parent, int color, int key) {
  OnDevice here(driver_, context_);
  std::unique_lock inside(parent.inside_);
  if (parent.communicator_ == nullptr) return parent.interrupted();
  const nccl::Result result =
      library_.split(parent.communicator_, color < 0 ? nccl::no_color : color, key, &communicator_, nullptr);
  inside.unlock();
  if (auto failed = parent.settle(result, &communicator_)) return failed;
  return communicator_ == nullptr ? std::nullopt : settle(nccl::in_progress, nullptr);
}

std::optional<Broken> NcclTransport::connect_by_shrink(NcclTransport& parent, const std::vector<uint32_t>& gone) {
  OnDevice here(driver_, context_);
  std::vector<int> plain(gone.begin(), gone.end());
  {
    std::lock_guard again(parent.mutex_);
    parent.interrupted_ = false;  // the parent may have failed before it is shrunk
  }
  std::unique_lock inside(parent.inside_);
  if (parent.communicator_ == nullptr) return parent.interrupted();
  const nccl::Result result = library_.shrink(parent.communicator_, plain.data(), static_cast<int>(plain.size()),
                                              &communicator_, nullptr, nccl::shrink_abort);
  inside.unlock();
  if (auto failed = parent.settle(result, &communicator_)) return failed;
  return settle(nccl::in_progress, nullptr);
}

Result<std::string> NcclTransport::make_grow_id() {
  OnDevice here(driver_, context_);
  nccl::UniqueId id;
  std::unique_lock inside(inside_);
  if (communicator_ == nullptr) return Status(Code::aborted, "the communicator was aborted");
  const nccl::Result result = library_.get_grow_id(communicator_, &id);
  inside.unlock();
  if (const auto failed = settle(result, nullptr))
    return Status(Code::unavailable, "ncclCommGetUniqueId: " + failed->text);
  return std::string(id.internal, sizeof id.internal);
}

std::optional<Broken> NcclTransport::connect_by_grow(NcclTransport* parent, const std::vector<std::string>& ids) {
  nccl::UniqueId id;
  if (ids.size() != 1 || ids[0].size() != sizeof id) {
    return Broken{Broken::Why::failed, -1,
                  "the ranks sent " + std::to_string(ids.size()) +
                      " NCCL ids instead of one; do all load the same NCCL version?"};
  }
  std::memcpy(id.internal, ids[0].data(), sizeof id);
  OnDevice here(driver_, context_);
  const int ranks = static_cast<int>(size_);
  if (parent == nullptr) {
    nccl::Config config;
    std::unique_lock inside(inside_);
    const nccl::Result result = library_.grow(nullptr, ranks, &id, static_cast<int>(rank_), &communicator_, &config);
    inside.unlock();
    return settle(result, nullptr);
  }
  std::unique_lock inside(parent->inside_);
  if (parent->communicator_ == nullptr) return parent->interrupted();
  // Only one rank of the parent passes the id. The parent's ranks keep their numbers.
  const nccl::Result result =
      library_.grow(parent->communicator_, ranks, rank_ == 0 ? &id : nullptr, -1, &communicator_, nullptr);
  inside.unlock();
  if (auto failed = parent->settle(result, &communicator_)) return failed;
  return settle(nccl::in_progress, nullptr);
}

// Waits while NCCL works in the background. `made`: the communicator being created, which is valid only at the end.
std::optional<Broken> NcclTransport::settle(nccl::Result result, nccl::Communicator* made) {
  for (int turn = 0; result == nccl::in_progress; ++turn) {
    if (pause(turn)) return interrupted();
    std::lock_guard inside(inside_);
    if (communicator_ == nullptr) return interrupted();
    const nccl::Result asked = library_.async_error(communicator_, &result);
    if (asked != nccl::success) result = asked;
  }
  if (result == nccl::success) return std::nullopt;
  failed_ = true;
  if (made != nullptr) *made = nullptr;
  return broken(result);
}

// Waits for one turn; true: interrupted.
bool NcclTransport::pause(int turn) {
  std::unique_lock lock(mutex_);
  if (turn < eager_turns && !interrupted_) {
    lock.unlock();
    std::this_thread::yield();
    return false;
  }
  return wake_.wait_for(lock, longest_pause, [this] { return interrupted_; });
}

nccl::Result NcclTransport::put(const Call& call, const void* in, void* out) {
  const int type = nccl::types[static_cast<size_t>(call.type)],
            reduce = nccl::reduces[static_cast<size_t>(call.reduce)];
  const int from = static_cast<int>(call.from), to = static_cast<int>(call.to);
  switch (call.kind) {
    case Kind::all_reduce: return library_.all_reduce(in, out, call.count, type, reduce, communicator_, stream_);
    case Kind::reduce_scatter:
      return library_.reduce_scatter(in, out, call.count, type, reduce, communicator_, stream_);
    case Kind::split:
    case Kind::all_gather: return library_.all_gather(in, out, call.count, type, communicator_, stream_);
    case Kind::broadcast: return library_.broadcast(in, out, call.count, type, from, communicator_, stream_);
    case Kind::send: return library_.send(in, call.count, type, to, communicator_, stream_);
    case Kind::receive: return library_.receive(out, call.count, type, from, communicator_, stream_);
    case Kind::barrier: break;
  }
  // NCCL has no barrier; the smallest reduction is one.
  void* room = reinterpret_cast<void*>(barrier_room_);
  return library_.all_reduce(room, room, 1, nccl::types[static_cast<size_t>(Type::uint8)],
                             nccl::reduces[static_cast<size_t>(Reduce::max)], communicator_, stream_);
}

std::optional<Broken> NcclTransport::run(const Call& call, const void* in, void* out) {
  OnDevice here(driver_, context_);
  nccl::Result result;
  {
    std::lock_guard inside(inside_);
    if (communicator_ == nullptr) return interrupted();
    result = put(call, in, out);
  }
  if (auto failed = settle(result, nullptr)) return failed;
  return call.kind == Kind::barrier ? synchronize() : std::nullopt;
}

std::optional<Broken> NcclTransport::synchronize() {
  OnDevice here(driver_, context_);
  for (int turn = 0;; ++turn) {
    const cuda::Code code = driver_.stream_query(stream_);
    if (code != cuda::success && code != cuda::not_ready) {
      failed_ = true;
      return Broken{Broken::Why::failed, -1, driver_.text(code)};
    }
    nccl::Result result = nccl::success;
    {
      std::lock_guard inside(inside_);
      if (communicator_ == nullptr) return interrupted();
      library_.async_error(communicator_, &result);
    }
    if (result != nccl::success && result != nccl::in_progress) {
      failed_ = true;
      return broken(result);
    }
    if (code == cuda::success) return std::nullopt;
    if (pause(turn)) return interrupted();
  }
}

void NcclTransport::interrupt() {
  {
    std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  wake_.notify_all();
}

// Ends kernels that wait for dead peers, even if the program itself waits for the stream.
void NcclTransport::abandon() {
  std::lock_guard inside(inside_);
  if (communicator_ != nullptr) library_.abort(std::exchange(communicator_, nullptr));
}

Broken NcclTransport::broken(nccl::Result result) const {
  const char* last = library_.last_error(nullptr);
  std::string text = library_.error_string(result);
  if (last != nullptr && *last != 0) text += std::string(" (") + last + ")";
  return Broken{result == nccl::remote_error ? Broken::Why::peer_gone : Broken::Why::failed, -1, "NCCL: " + text};
}

}  // namespace muster::worker
