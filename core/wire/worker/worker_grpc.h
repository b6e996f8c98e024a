// SPDX-License-Identifier: Apache-2.0
// WorkerGrpc: serves worker.proto and worker_exec.proto by gRPC, for ranks that do not use frames (docs/reference/rank-socket.md). It is made when the first gRPC
// client connects to the ranks' socket, so other jobs do not pay for it.
//
// Calls are answered on the loop. Open calls are ended with unavailable when it is destroyed. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/port/loop.h"
#include "core/port/worker_listener.h"

namespace muster {

class WorkerGrpc {
 public:
  // Both functions outlive this. An empty `on_exec` refuses each exec process.
  WorkerGrpc(Loop& loop, const WorkerListener::OnCall& on_call, const WorkerListener::OnExec& on_exec);
  ~WorkerGrpc();
  WorkerGrpc(const WorkerGrpc&) = delete;
  WorkerGrpc& operator=(const WorkerGrpc&) = delete;

  // Passes an accepted, non-blocking HTTP/2 connection to gRPC, which owns it from then on.
  void take(int fd);

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

// The first bytes that such a client sends (RFC 9113, section 3.4).
constexpr std::string_view kHttp2Preface = "PRI ";

}  // namespace muster
