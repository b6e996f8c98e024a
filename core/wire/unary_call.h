// SPDX-License-Identifier: Apache-2.0
// UnaryCall: the controller's end of a call with one request and one response. Internal to core/wire; loop thread.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include <functional>
#include <memory>

#include "core/wire/live_calls.h"
#include "core/wire/settings.h"

namespace muster {

template <typename Service, typename Request, typename Response>
class UnaryCall final : public LiveCall {
 public:
  using Responder = grpc::ServerAsyncResponseWriter<Response>;
  // A generated Request… method.
  using Accept = void (Service::*)(grpc::ServerContext*, Request*, Responder*, grpc::CompletionQueue*,
                                   grpc::ServerCompletionQueue*, void*);
  using Handler = std::function<void(const Request&, const std::shared_ptr<UnaryCall>&)>;

  // Starts to serve this method, for any number of calls.
  static void accept(LiveCalls& calls, Service& service, Accept accept, Handler handler) {
    const auto call = std::make_shared<UnaryCall>(calls, service, accept, std::move(handler));
    calls.add(call);
    UnaryCall& self = *call;
    Grpc& its = *self.grpc_;
    (service.*accept)(&its.context, &its.request, &its.responder, calls.queue(), calls.queue(),
                      self.arrival_tag([&self](bool ok) { self.arrived(ok); }));
  }

  UnaryCall(LiveCalls& calls, Service& service, Accept accept, Handler handler)
      : LiveCall(calls),
        service_(service),
        accept_(accept),
        handler_(std::move(handler)) {}

  // Only the first answer counts. An answer after the server has ended is dropped. `response` is used only if `status` is ok.
  void answer(const Status& status, const Response& response = {}) {
    if (std::exchange(finished_, true)) return;
    grpc_->responder.Finish(response, grpc_status(status), tag([](bool) {}));
  }

  void abandon() override {
    if (arrived_) answer(Status(Code::unavailable, "the controller is shutting down"));
  }

 private:
  struct Grpc {
    grpc::ServerContext context;
    Request request;
    Responder responder{&context};
  };

  void arrived(bool ok) {
    if (!ok) return;
    accept(calls_, service_, accept_, handler_);
    grpc_->context.AddTrailingMetadata(kOwnStatus, "1");
    handler_(grpc_->request, std::static_pointer_cast<UnaryCall>(this->shared_from_this()));
  }

  void free_grpc() override { grpc_.reset(); }

  Service& service_;
  const Accept accept_;
  const Handler handler_;
  std::unique_ptr<Grpc> grpc_ = std::make_unique<Grpc>();
};

}  // namespace muster
