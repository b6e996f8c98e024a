// SPDX-License-Identifier: Apache-2.0
// CompletionThread: one gRPC completion queue, and the thread that waits on it and drives gRPC's sockets. The thread only posts
// each completion to the loop.
//
// The callback API of gRPC 1.51 needs no such thread. But its own threads sleep 100 ms after each second without events
// (CallbackAlternativeCQ), so a call to an idle process may wait up to 100 ms.
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

  // Returns gRPC's tag for one operation. `then` is called on the loop when the operation is complete. After silence() it is only
  // destroyed, on any thread. Loop thread.
  static void* tag(std::function<void(bool ok)> then);
  // The same for the arrival of a call. Sets `arrived`, which `then` keeps alive, on the completion thread.
  static void* arrival_tag(std::function<void(bool ok)> then, std::atomic<bool>& arrived);
  // The same for an operation that gRPC may never complete. The caller must drop() it, when it is complete or after join().
  static void* kept_tag(std::function<void(bool ok)> then);
  static void drop(void* kept_tag);

  // No `then` is called after it has returned. Loop thread.
  void silence() { gate_.close(); }

  // Calls silence() and waits until every operation is complete. Cancel the calls first, and start none afterwards. May be called
  // repeatedly.
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
