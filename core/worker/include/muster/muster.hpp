// SPDX-License-Identifier: Apache-2.0
// C++17 interface of libmuster: a header-only wrapper of muster.h, which documents each call. Errors are thrown as
// muster::Error.
//
//   muster::Context job = muster::Context::from_environment();
//   muster::Communicator world = job.communicator();
//   world.all_reduce(gradients, muster::Reduce::average);
//   job.progress(step, total, {{"loss", loss}});
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "muster/muster.h"

namespace muster {

// A failed call: its code, and in what() the message of muster_last_error().
class Error : public std::runtime_error {
 public:
  Error(muster_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  muster_code code() const { return code_; }

 private:
  muster_code code_;
};

namespace detail {

inline void check(muster_code code) {
  if (code != MUSTER_OK) throw Error(code, muster_last_error());
}

inline std::string take(muster_bytes& bytes) {
  std::string text(bytes.data, bytes.size);
  muster_bytes_free(&bytes);
  return text;
}

template <typename T>
constexpr muster_type type_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return MUSTER_FLOAT32;
  else if constexpr (std::is_same_v<U, double>) return MUSTER_FLOAT64;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 1) return std::is_signed_v<U> ? MUSTER_INT8 : MUSTER_UINT8;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 4) return std::is_signed_v<U> ? MUSTER_INT32 : MUSTER_UINT32;
  else if constexpr (std::is_integral_v<U> && sizeof(U) == 8) return std::is_signed_v<U> ? MUSTER_INT64 : MUSTER_UINT64;
  else static_assert(sizeof(U) == 0, "muster has no such element type; pass a muster_type to the C function");
}

}  // namespace detail

enum class Backend { automatic = MUSTER_BACKEND_AUTO, gloo = MUSTER_BACKEND_GLOO, nccl = MUSTER_BACKEND_NCCL };
enum class Reduce { sum = MUSTER_SUM, product = MUSTER_PRODUCT, min = MUSTER_MIN, max = MUSTER_MAX, average = MUSTER_AVERAGE };

// See muster_communicator_options.
struct CommunicatorOptions {
  std::string name = "world";
  Backend backend = Backend::automatic;
  double timeout = 0;  // seconds; 0: 30 minutes
  void* stream = nullptr;
};

// Owns a muster_communicator. Movable; may be empty (see operator bool). Destroy it before its Context.
class Communicator {
 public:
  // Takes ownership of `owned`, which may be null.
  explicit Communicator(muster_communicator* owned) : handle_(owned, &muster_communicator_close) {}

  uint32_t rank() const { return muster_communicator_rank(handle()); }
  uint32_t size() const { return muster_communicator_size(handle()); }
  Backend backend() const { return static_cast<Backend>(muster_communicator_backend(handle())); }
  muster_communicator* handle() const { return handle_.get(); }

  template <typename T>
  void all_reduce(const T* in, T* out, size_t count, Reduce reduce = Reduce::sum) {
    detail::check(muster_all_reduce(handle(), in, out, count, detail::type_of<T>(), static_cast<muster_reduce>(reduce)));
  }
  template <typename T>
  void all_reduce(std::vector<T>& values, Reduce reduce = Reduce::sum) {
    all_reduce(values.data(), values.data(), values.size(), reduce);
  }
  template <typename T>
  void reduce_scatter(const T* in, T* out, size_t count, Reduce reduce = Reduce::sum) {
    detail::check(muster_reduce_scatter(handle(), in, out, count, detail::type_of<T>(), static_cast<muster_reduce>(reduce)));
  }
  template <typename T>
  void all_gather(const T* in, T* out, size_t count) {
    detail::check(muster_all_gather(handle(), in, out, count, detail::type_of<T>()));
  }
  template <typename T>
  void broadcast(T* data, size_t count, uint32_t root = 0) {
    detail::check(muster_broadcast(handle(), data, count, detail::type_of<T>(), root));
  }
  template <typename T>
  void send(const T* data, size_t count, uint32_t to) {
    detail::check(muster_send(handle(), data, count, detail::type_of<T>(), to));
  }
  template <typename T>
  void receive(T* data, size_t count, uint32_t from) {
    detail::check(muster_receive(handle(), data, count, detail::type_of<T>(), from));
  }
  void barrier() { detail::check(muster_communicator_barrier(handle())); }
  void synchronize() { detail::check(muster_synchronize(handle())); }

  // A communicator of the ranks with the same color, ordered by key. A negative color gives an empty one (`!child`).
  Communicator split(int32_t color, int32_t key, const std::string& name) {
    muster_communicator* child = nullptr;
    detail::check(muster_communicator_split(handle(), color, key, name.c_str(), &child));
    return Communicator(child);
  }
  // A communicator without the ranks `gone` (ranks of this communicator, sorted).
  Communicator shrink(const std::vector<uint32_t>& gone, const std::string& name) {
    muster_communicator* child = nullptr;
    detail::check(muster_communicator_shrink(handle(), gone.data(), gone.size(), name.c_str(), &child));
    return Communicator(child);
  }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  std::unique_ptr<muster_communicator, void (*)(muster_communicator*)> handle_;
};

// Owns a muster_context. Movable. Timeouts are in seconds; 0: 24 hours.
class Context {
 public:
  // Connects to the agent of this node.
  static Context from_environment() {
    muster_context* opened = nullptr;
    detail::check(muster_open(&opened));
    return Context(opened);
  }

  muster_place place() const {
    muster_place place{};
    muster_where(handle(), &place);
    return place;
  }
  uint32_t rank() const { return place().rank; }
  uint32_t world_size() const { return place().world_size; }
  uint32_t local_rank() const { return place().local_rank; }
  uint32_t local_size() const { return place().local_size; }
  uint32_t node() const { return place().node; }
  uint32_t attempt() const { return place().attempt; }
  uint32_t restarts() const { return place().restarts; }
  std::string group() const { return place().group; }
  std::string job() const { return place().job; }
  muster_context* handle() const { return handle_.get(); }

  void set(const std::string& key, std::string_view value) {
    detail::check(muster_set(handle(), key.c_str(), value.data(), value.size()));
  }
  std::string get(const std::string& key) {
    muster_bytes value{};
    detail::check(muster_get(handle(), key.c_str(), &value));
    return detail::take(value);
  }
  std::string wait(const std::string& key, double timeout = 0) {
    muster_bytes value{};
    detail::check(muster_wait(handle(), key.c_str(), timeout, &value));
    return detail::take(value);
  }
  int64_t add(const std::string& key, int64_t amount) {
    int64_t sum = 0;
    detail::check(muster_add(handle(), key.c_str(), amount, &sum));
    return sum;
  }
  std::string compare_and_set(const std::string& key, std::string_view expected, std::string_view desired) {
    muster_bytes now{};
    detail::check(muster_compare_and_set(handle(), key.c_str(), expected.data(), expected.size(), desired.data(),
                                         desired.size(), &now));
    return detail::take(now);
  }
  void remove(const std::string& key) { detail::check(muster_remove(handle(), key.c_str())); }

  void barrier(const std::string& name, double timeout = 0) {
    detail::check(muster_barrier(handle(), name.c_str(), timeout));
  }
  std::vector<std::string> fence(const std::string& name, std::string_view value, double timeout = 0) {
    std::vector<muster_bytes> all(world_size());
    detail::check(muster_fence(handle(), name.c_str(), value.data(), value.size(), timeout, all.data()));
    std::vector<std::string> values;
    for (muster_bytes& each : all) values.push_back(detail::take(each));
    return values;
  }

  void progress(uint64_t step, uint64_t total, std::initializer_list<muster_metric> metrics = {}) {
    detail::check(muster_progress(handle(), step, total, metrics.begin(), metrics.size()));
  }
  bool should_stop() const { return muster_should_stop(handle()) != 0; }
  std::string stop_reason() const { return muster_stop_reason(handle()); }
  double stop_grace() const { return muster_stop_grace(handle()); }
  void rejoin() { detail::check(muster_rejoin(handle())); }

  Communicator communicator(const CommunicatorOptions& options = {}) {
    const muster_communicator_options given{sizeof(muster_communicator_options), options.name.c_str(),
                                            static_cast<muster_backend>(options.backend), options.timeout, options.stream};
    muster_communicator* opened = nullptr;
    detail::check(muster_communicator_open(handle(), &given, &opened));
    return Communicator(opened);
  }
  // A communicator of `members` (ranks of the world, sorted). `parent`: null on ranks that join.
  Communicator grow(Communicator* parent, const std::vector<uint32_t>& members, const std::string& name) {
    muster_communicator* grown = nullptr;
    detail::check(muster_communicator_grow(handle(), parent == nullptr ? nullptr : parent->handle(), members.data(),
                                           members.size(), name.c_str(), &grown));
    return Communicator(grown);
  }

 private:
  explicit Context(muster_context* owned) : handle_(owned, &muster_close) {}
  std::unique_ptr<muster_context, void (*)(muster_context*)> handle_;
};

// split_by_node: the ranks on this rank's node. split_across_nodes: the ranks with the same local rank on all nodes.
inline Communicator split_by_node(const Context& job, Communicator& parent) {
  return parent.split(static_cast<int32_t>(job.node()), static_cast<int32_t>(job.rank()), "node");
}
inline Communicator split_across_nodes(const Context& job, Communicator& parent) {
  return parent.split(static_cast<int32_t>(job.local_rank()), static_cast<int32_t>(job.rank()), "across");
}

}  // namespace muster
