// SPDX-License-Identifier: Apache-2.0
// LiveCalls: every call that a GrpcServer is serving or ready to accept. Loop thread only.
//
// A call starts its operations on the loop thread, and their completions run there (completion_thread.h). It is kept until it is
// finished and its last operation is complete. Then it releases gRPC's objects, even if others still hold the call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>

#include "core/wire/completion_thread.h"

namespace muster {

class LiveCalls;

class LiveCall : public std::enable_shared_from_this<LiveCall> {
 public:
  virtual ~LiveCall() = default;

  // The server is shutting down: finish with unavailable.
  virtual void abandon() = 0;
  // Releases gRPC's objects. They are not used afterwards.
  void forget();

 protected:
  explicit LiveCall(LiveCalls& calls) : calls_(calls) {}

  // Returns the tag of one operation. `then` may use `this`; it is not called after forget().
  void* tag(std::function<void(bool ok)> then);
  // The same for the call's arrival; sets arrived_.
  void* arrival_tag(std::function<void(bool ok)> then);
  // The same for an operation that gRPC may never complete; free_grpc() drops it (completion_thread.h).
  void* kept_tag(std::function<void(bool ok)> then);
  // Frees context, responder and messages.
  virtual void free_grpc() = 0;

  LiveCalls& calls_;                   // invalid after forget()
  std::atomic<bool> arrived_ = false;  // a peer has called; set on the completion thread
  bool finished_ = false;              // Finish was started: no operation may follow

 private:
  std::function<void(bool)> completion(std::function<void(bool)> then);
  void complete(const std::function<void(bool)>& then, bool ok);

  int pending_ = 0;
  bool forgotten_ = false;
};

class LiveCalls {
 public:
  LiveCalls(Loop& loop, std::unique_ptr<grpc::ServerCompletionQueue> queue);
  ~LiveCalls();

  void add(std::shared_ptr<LiveCall> call) { calls_.insert(std::move(call)); }
  size_t size() const { return calls_.size(); }  // includes calls that are ready to accept
  void remove(const std::shared_ptr<LiveCall>& call) { calls_.erase(call); }

  // Silences completions and abandons all calls. Call it before the shutdown of the gRPC server.
  void abandon_all();
  // Waits for every operation and releases gRPC's objects. Call it after the shutdown.
  void forget_all();

  Loop& loop() { return thread_.loop(); }
  grpc::ServerCompletionQueue* queue() { return queue_; }

 private:
  grpc::ServerCompletionQueue* const queue_;
  CompletionThread thread_;
  std::set<std::shared_ptr<LiveCall>> calls_;
};

}  // namespace muster
