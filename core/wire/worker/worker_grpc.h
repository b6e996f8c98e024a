// WorkerGrpc: worker.proto's service by gRPC, for workers in languages that would rather not speak frames
// (proto/README.md). Made when the first connection of the kind arrives on the ranks' socket: a job without one pays
// nothing.
//
// Calls are answered on the loop; what is still open at the end is cancelled. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/port/loop.h"
#include "core/port/worker_listener.h"

namespace muster {

class WorkerGrpc {
 public:
  // `on_call` outlives this.
  WorkerGrpc(Loop& loop, const WorkerListener::OnCall& on_call);
  ~WorkerGrpc();
  WorkerGrpc(const WorkerGrpc&) = delete;
  WorkerGrpc& operator=(const WorkerGrpc&) = delete;

  // An accepted, non-blocking connection whose client speaks HTTP/2; from now on gRPC's.
  void take(int fd);

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

// What such a client says first (RFC 9113, section 3.4).
constexpr std::string_view kHttp2Preface = "PRI ";

}  // namespace muster
