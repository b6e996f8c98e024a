// CompletionThread: one gRPC completion queue and the one thread that waits on it and drives gRPC's sockets. It
// takes each completion to the loop; nothing else happens on it.
//
// gRPC 1.51's callback API would do without it, but serves its reactors from threads that sleep 100 ms whenever a
// second went by without events (CallbackAlternativeCQ), so that one call in ten to an idle process waited up to
// 100 ms.
#pragma once

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "core/wire/loop_gate.h"

namespace muster {

class CompletionThread {
 public:
  CompletionThread(Loop& loop, std::unique_ptr<grpc::CompletionQueue> queue);
  ~CompletionThread();

  // What gRPC wants to be given for one operation: `then` runs on the loop when it is complete, or is destroyed on
  // any thread when silenced. Loop thread.
  static void* tag(std::function<void(bool ok)> then);
  // The same for the arrival of a call: sets `arrived`, which `then` keeps alive, as soon as one has come.
  static void* arrival_tag(std::function<void(bool ok)> then, std::atomic<bool>& arrived);
  // The same for an operation that gRPC may never complete: the caller drops it, once complete or after join().
  static void* kept_tag(std::function<void(bool ok)> then);
  static void drop(void* kept_tag);

  // No `then` runs once it has returned. Loop thread.
  void silence() { gate_.close(); }

  // Waits until every operation is complete: cancel their calls first, and start none afterwards. Silences;
  // repeatable.
  void join();

  // Loop thread only.
  Loop& loop() { return gate_.loop(); }
  grpc::CompletionQueue* queue() { return queue_.get(); }

 private:
  void run();

  LoopGate gate_;
  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::thread thread_;
};

}  // namespace muster
