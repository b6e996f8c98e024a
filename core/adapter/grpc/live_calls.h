// LiveCalls: every call a GrpcServer is serving, and the way from gRPC's threads to its loop.
//
// Threads: a call's reactor methods run on gRPC's threads and only post; operations are started on the loop thread
// alone, so nothing can be started after Finish. A call is kept alive from its first post until gRPC's OnDone.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/adapter/grpc/loop_gate.h"

namespace muster {

class LiveCall {
 public:
  virtual ~LiveCall() = default;
  // The server ends: finish with unavailable unless finished. Loop thread; later posts of this call do nothing.
  virtual void abandon() = 0;
};

class LiveCalls {
 public:
  explicit LiveCalls(Loop& loop) : gate_(loop) {}

  // False once closed: the caller finishes the call itself. Any thread.
  bool add(std::shared_ptr<LiveCall> call);
  // Any thread; the last touch of `call` may be here.
  void remove(const LiveCall* call);
  // Any thread; dropped once closed.
  void post(std::function<void()> work) { gate_.post(std::move(work)); }
  // Abandons all. Loop thread, once.
  void close();
  // Loop thread only.
  Loop& loop() { return gate_.loop(); }

 private:
  LoopGate gate_;
  std::mutex mutex_;  // gRPC's threads add and remove
  bool open_ = true;
  std::map<const LiveCall*, std::shared_ptr<LiveCall>> calls_;
};

}  // namespace muster
