// UnaryCall: one request that waits for its answer. Internal to adapter/grpc.
#pragma once

#include <grpcpp/support/server_callback.h>

#include <memory>

#include "core/adapter/grpc/live_calls.h"
#include "core/adapter/grpc/settings.h"

namespace muster {

template <typename Response>
class UnaryCall final : public grpc::ServerUnaryReactor,
                        public LiveCall,
                        public std::enable_shared_from_this<UnaryCall<Response>> {
 public:
  UnaryCall(LiveCalls& calls, Response* response) : calls_(calls), response_(response) {}

  // Loop thread. gRPC may free request and response once answered.
  bool answered() const { return answered_; }

  // Loop thread; the first answer counts. `fill` is used on success only.
  void answer(const Status& status, Response fill = {}) {
    if (answered_) return;
    answered_ = true;
    if (status.ok()) *response_ = std::move(fill);
    Finish(grpc_status(status));
  }

  void abandon() override { answer(Status(Code::unavailable, "the controller is ending")); }

 private:
  // gRPC's threads.
  void OnCancel() override {
    const auto self = this->shared_from_this();
    calls_.post([self] { self->answer(Status(Code::cancelled, "the caller has left")); });
  }
  void OnDone() override { calls_.remove(this); }

  LiveCalls& calls_;
  Response* const response_;
  bool answered_ = false;
};

}  // namespace muster
